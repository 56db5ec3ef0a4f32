import { toFragment, ViewName, type WindowPlace } from '../../../contract/place.ts';

/** Where the window is. Kept in the address, so that reload, back and forward work. */
class Navigation {
  place = $state<WindowPlace>(read(location.hash));
  /** What each view remembered when it was left, or does now. */
  readonly #left: Record<string, WindowPlace['detail']> = {};
  /** Changes of the address that wait for a running step back; null without one. */
  #afterBack: Change[] | null = null;

  constructor() {
    window.addEventListener('popstate', () => {
      const waiting = this.#afterBack ?? [];
      this.#afterBack = null;
      for (const { make } of waiting) make();
    });
    window.addEventListener('hashchange', () => this.#arrive(read(location.hash)));
    this.#arrive(this.place);
  }

  leftAt(view: ViewName, projectId: string | null): WindowPlace['detail'] {
    return this.#left[viewKey({ view, projectId })] ?? {};
  }

  /** Goes to a view; the project stays unless another is named. */
  go(view: ViewName, options: { projectId?: string | null; detail?: WindowPlace['detail'] } = {}): void {
    const projectId = options.projectId === undefined ? this.place.projectId : options.projectId;
    this.#change(() => (location.hash = toFragment({ view, projectId, detail: options.detail ?? {} })));
  }

  /** Changes the view's state without a new step in the history. */
  remember(detail: WindowPlace['detail']): void {
    this.replace({ ...this.place, detail });
  }

  /** Changes some of the view's state; an empty value takes the field out. */
  change(fields: WindowPlace['detail']): void {
    this.remember(withFields(this.place.detail, fields));
  }

  replace(place: WindowPlace): void {
    this.#arrive(place);
    this.#change(() => history.replaceState(history.state, '', `#${toFragment(place)}`));
  }

  stepInto(detail: WindowPlace['detail']): void {
    const place = { ...this.place, detail };
    this.#arrive(place);
    this.#change(() => history.pushState(STEP, '', `#${toFragment(place)}`), true);
  }

  /** Undoes such a step; where the history has none, as after a jump, only changes the place. */
  stepOut(detail: WindowPlace['detail']): void {
    if (this.#afterBack !== null || history.state !== STEP) {
      this.#forgetWaitingStep();
      this.remember(detail);
      return;
    }
    this.#arrive({ ...this.place, detail });
    this.#afterBack = [];
    history.back();
  }

  #arrive(place: WindowPlace): void {
    this.place = place;
    this.#left[viewKey(place)] = place.detail;
  }

  /** A step back takes a moment: a change meanwhile would go into the entry that we leave. */
  #change(make: () => void, isStep = false): void {
    if (this.#afterBack === null) make();
    else this.#afterBack.push({ make, isStep });
  }

  /** A step that is taken back before it was made is none: in the history it would stay. */
  #forgetWaitingStep(): void {
    const step = this.#afterBack?.findLastIndex(({ isStep }) => isStep) ?? -1;
    if (step >= 0) this.#afterBack?.splice(step);
  }
}

interface Change {
  readonly make: () => void;
  readonly isStep: boolean;
}

export const withFields = (detail: WindowPlace['detail'], fields: WindowPlace['detail']): WindowPlace['detail'] =>
  Object.fromEntries(Object.entries({ ...detail, ...fields }).filter(([, value]) => value !== ''));

/** An account as the place of Settings has it: an empty field is left out, and no id has a dot. */
export const accountField = (id: string | null): string => id ?? '.';

const STEP = 'step';

const viewKey = ({ view, projectId }: Pick<WindowPlace, 'view' | 'projectId'>): string => `${projectId ?? ''} ${view}`;

function read(hash: string): WindowPlace {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(decoded);
  const projectId = parts[0] === 'project' ? (parts[1] ?? null) : null;
  const named = parts[0] === 'project' ? parts[2] : parts[0];
  const view = ViewName.options.find((each) => each === named) ?? 'projects';
  return { view, projectId, detail: Object.fromEntries(new URLSearchParams(query)) };
}

/** Unchanged when it cannot be decoded: an address that was cut off, or typed, leads to some view all the same. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const navigation = new Navigation();
