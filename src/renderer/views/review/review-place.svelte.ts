import type { Text } from '../../../contract/messages/message.ts';
import type { TakeFilter, ViewFilter } from '../../../contract/review.ts';
import { parseTakeSearch } from '../../../contract/take-search.ts';
import { toDetail, toFilter } from '../../lib/filter-address.ts';
import { navigation, withFields } from '../../lib/state/navigation.svelte.ts';

const narrowing = ['since', 'batch', 'kind', 'standing', 'model', 'rating', 'flag', 'text', 'near', 'nearBy'] as const;
type Narrowing = (typeof narrowing)[number];

/**
 * The state of the view in the address, so that a reload returns to the very take: filter, order, and the take or takes
 * that are open. Without a standing only saved takes are shown, because those can be viewed.
 */
class ReviewPlace {
  readonly #detail = $derived(navigation.place.detail);

  readonly filter = $derived.by((): TakeFilter => {
    return { projectId: navigation.place.projectId ?? '', ...toFilter(this.#detail) };
  });

  /** Value of one field of the filter in the address; empty without one. */
  narrowed(name: Narrowing | 'sort' | 'group'): string {
    return this.#detail[name] ?? '';
  }

  readonly searchProblem = $derived.by((): Text | null => {
    const search = parseTakeSearch(this.#detail['text'] ?? '');
    return search.ok ? null : search.problem;
  });

  get isNarrowed(): boolean {
    return narrowing.some((name) => this.#detail[name] !== undefined);
  }

  /** Takes that are open: none in the grid, one in the single view, up to four side by side. */
  get open(): readonly string[] {
    return (this.#detail['take'] ?? '').split(',').filter(Boolean);
  }

  toggleGroup(name: string): void {
    this.narrow({ group: this.narrowed('group') === name ? '' : name });
  }

  showView(filter: ViewFilter): void {
    this.narrow({ ...toDetail(filter), take: '' });
  }

  clear(): void {
    this.narrow(Object.fromEntries(narrowing.map((name) => [name, ''])));
  }

  /** Opening takes is a step that "back" takes back, and so is what closes them; going from take to take is none. */
  show(takeIds: readonly string[]): void {
    const next = withFields(this.#detail, { take: takeIds.join(',') });
    if (takeIds.length === 0) navigation.stepOut(next);
    else if (this.open.length === 0) navigation.stepInto(next);
    else navigation.remember(next);
  }

  /** The string-out that is shown: `all` of a cut, or a take with the shots around it, by its ID. Empty without one. */
  get stringOut(): string {
    return this.#detail['stringOut'] ?? '';
  }

  /** Of the cut that was chosen. */
  get cut(): string {
    return this.#detail['cut'] ?? '';
  }

  showStringOut(what: string): void {
    const next = withFields(this.#detail, { stringOut: what });
    if (what === '') navigation.stepOut(next);
    else if (this.stringOut === '') navigation.stepInto(next);
    else navigation.remember(next);
  }

  /** An empty value takes the field out. */
  narrow(change: Partial<Record<Narrowing | 'sort' | 'group' | 'take' | 'cut', string>>): void {
    navigation.change(change as Record<string, string>);
  }
}

export const reviewPlace = new ReviewPlace();
