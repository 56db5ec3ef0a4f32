/** Where the window is. Kept in the address, so that reload, back and forward work. */
export type ViewName = 'projects' | 'batch' | 'queue' | 'review' | 'library' | 'settings';

export interface Place {
  readonly view: ViewName;
  /** Project the view is about; null in views that need none. */
  readonly projectId: string | null;
  /** What else the view wants to remember: a batch, a draft, a take. */
  readonly detail: Readonly<Record<string, string>>;
}

const views: readonly ViewName[] = ['projects', 'batch', 'queue', 'review', 'library', 'settings'];

class Navigation {
  #place = $state<Place>(read(location.hash));

  constructor() {
    window.addEventListener('hashchange', () => {
      this.#place = read(location.hash);
    });
  }

  get place(): Place {
    return this.#place;
  }

  /** Goes to a view; the project stays unless another is named. */
  go(view: ViewName, options: { projectId?: string | null; detail?: Record<string, string> } = {}): void {
    const projectId = options.projectId === undefined ? this.#place.projectId : options.projectId;
    location.hash = write({ view, projectId, detail: options.detail ?? {} });
  }

  /** Changes what the view remembers without a new step in the history. */
  remember(detail: Record<string, string>): void {
    const place = { ...this.#place, detail };
    history.replaceState(null, '', `#${write(place)}`);
    this.#place = place;
  }
}

function read(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const projectId = parts[0] === 'project' ? (parts[1] ?? null) : null;
  const named = parts[0] === 'project' ? parts[2] : parts[0];
  const view = views.find((each) => each === named) ?? 'projects';
  return { view, projectId, detail: Object.fromEntries(new URLSearchParams(query)) };
}

function write({ view, projectId, detail }: Place): string {
  const query = new URLSearchParams(detail).toString();
  const path = projectId === null ? `/${view}` : `/project/${encodeURIComponent(projectId)}/${view}`;
  return query === '' ? path : `${path}?${query}`;
}

export const navigation = new Navigation();
