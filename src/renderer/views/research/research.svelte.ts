import { SvelteMap } from 'svelte/reactivity';
import { t, saySentences } from '../../../contract/messages/words.ts';
import type { Failure } from '../../../contract/failure.ts';
import { CLIPPINGS_A_PAGE, type Clipping, type Findings, type WebFinding } from '../../../contract/tool.ts';
import { act } from '../../lib/act.ts';
import { api, toTrouble, type Trouble } from '../../lib/client.ts';
import { Resource } from '../../lib/state/resource.svelte.ts';
import { toast, toastError } from '../../lib/toasts.ts';
import { emptyForm, toPage, searchFor, type AskedForm } from './texts.ts';

export type PictureState = 'fetching' | { readonly sha256: string } | Trouble;

export type Shown = 'results' | 'clippings';

interface Found {
  readonly askedFor: string;
  readonly findings: readonly WebFinding[];
  /** Page of a search that was shown last; null for a page that was read. */
  readonly page: number | null;
  readonly callId: string;
  /** It was paid for by an earlier call. */
  readonly wasPaid: boolean;
  readonly again: () => void;
}

/** A full page of results may be followed by another. */
const isFull = ({ findings }: Found, { values }: AskedForm): boolean => findings.length >= Number(values['count']);

/**
 * The research of one project: the questions, what they found and what was kept. It stays while other views are shown.
 */
export class Research {
  readonly projectId: string;
  mode = $state<'search' | 'read'>('search');
  readonly forms = $state({ search: emptyForm('search'), read: emptyForm('read') });
  shown = $state<Shown>('results');
  found = $state.raw<Found | null>(null);
  /** `again` asks the same again, with a second charge where one is possible. */
  failed = $state.raw<{ readonly failure: Failure; readonly again: () => void } | null>(null);
  isAsking = $state(false);
  sending = $state.raw<readonly string[]>([]);
  /** Whether the pictures of what is looked at are fetched without asking for each. */
  showsPictures = $state(false);
  /** By address: the hash of a picture that was fetched, the reason why it was not, or `fetching`. */
  readonly pictures = new SvelteMap<string, PictureState>();
  readonly #at = $state<Record<Shown, number>>({ results: 0, clippings: 0 });
  #asking = new AbortController();
  #limit = $state(CLIPPINGS_A_PAGE);

  readonly clippings = new Resource({
    of: () => ({ projectId: this.projectId, limit: this.#limit }),
    read: api.clippings.list,
    changedBy: (changes, { projectId }) => changes.projects.includes(projectId),
    staysShown: true,
  });
  readonly price = new Resource({
    of: () => ({ model: this.mode === 'search' ? 'web-search' : 'web-reader', calls: 1, projectId: this.projectId }),
    read: api.tools.price,
    changedBy: (changes) => changes.settings,
  });

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  get items(): readonly (WebFinding | Clipping)[] {
    return this.shown === 'results' ? (this.found?.findings ?? []) : (this.clippings.current?.clippings ?? []);
  }

  get at(): number {
    return Math.max(0, Math.min(this.#at[this.shown], this.items.length - 1));
  }

  set at(index: number) {
    this.#at[this.shown] = index;
  }

  get item(): WebFinding | Clipping | null {
    return this.items[this.at] ?? null;
  }

  /** The clipping that is looked at; null while a result is. */
  get clipping(): Clipping | null {
    const { item } = this;
    return item !== null && 'id' in item ? item : null;
  }

  get olderClippings(): number {
    return Math.max(0, (this.clippings.current?.total ?? 0) - this.#limit);
  }

  showOlder(): void {
    this.#limit += CLIPPINGS_A_PAGE;
  }

  get hasMore(): boolean {
    return this.found?.page != null && isFull(this.found, this.forms.search);
  }

  isKept({ url, text }: WebFinding): boolean {
    return this.clippings.current?.clippings.some((kept) => kept.url === url && kept.text === text) ?? false;
  }

  async searchWeb(page = 1, isAgreed = false): Promise<void> {
    const asked = searchFor(this.forms.search, page);
    if (asked.query === '') return;
    await this.#ask(
      (signal) => api.tools.search({ ...asked, projectId: this.projectId, isAgreed }, { signal }),
      { askedFor: asked.query, page },
      () => void this.searchWeb(page, true),
    );
  }

  async readPage(isAgreed = false): Promise<void> {
    const asked = toPage(this.forms.read);
    if (asked.url === '') return;
    await this.#ask(
      (signal) => api.tools.readPage({ ...asked, projectId: this.projectId, isAgreed }, { signal }),
      { askedFor: asked.url, page: null },
      () => void this.readPage(true),
    );
  }

  /** Sends the shown question again, which is a new charge. */
  async askAgain(): Promise<void> {
    if (!this.found || this.isAsking) return;
    const { callId, again } = this.found;
    try {
      await api.tools.used({ callId });
      this.found = null;
      again();
    } catch (error) {
      toastError(error);
    }
  }

  /** Stops waiting. A sent call is charged, and its answer serves the same question later. */
  stop(): void {
    this.#asking.abort();
  }

  async keep(finding: WebFinding): Promise<void> {
    try {
      const kept = { projectId: this.projectId, askedFor: this.found?.askedFor ?? '', finding };
      await act('clippings.keep', kept, { quietly: true });
      await this.clippings.refresh();
      toast(t('research.keptWithProject'), { label: t('common.show'), run: () => (this.shown = 'clippings') });
    } catch (error) {
      toastError(error);
    }
  }

  async remove({ id }: Clipping): Promise<void> {
    try {
      await act('clippings.remove', { projectId: this.projectId, id });
      await this.clippings.refresh();
    } catch (error) {
      toastError(error);
    }
  }

  async toLibrary(url: string): Promise<void> {
    if (this.sending.includes(url)) return;
    this.sending = [...this.sending, url];
    try {
      const done = await api.clippings.picture({ projectId: this.projectId, url });
      const report = done?.result;
      if (!report) return;
      if (!report.ok) throw new Error(saySentences(report.problem, report.remedy));
      const { reference } = report;
      toast(t(report.sent ? 'research.pictureSent' : 'research.pictureThere', { reference }));
    } catch (error) {
      toastError(error);
    } finally {
      this.sending = this.sending.filter((each) => each !== url);
    }
  }

  /** Shows the pictures at these addresses that were not asked for before, one after the other. */
  async showPictures(urls: readonly string[]): Promise<void> {
    const wanted = urls.filter((url) => !this.pictures.has(url));
    for (const url of wanted) this.pictures.set(url, 'fetching');
    for (const url of wanted) {
      try {
        this.pictures.set(url, await api.clippings.look({ projectId: this.projectId, url }));
      } catch (error) {
        this.pictures.set(url, toTrouble(error));
      }
    }
  }

  async #ask(
    call: (signal: AbortSignal) => Promise<Findings>,
    what: Pick<Found, 'askedFor' | 'page'>,
    again: () => void,
  ): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    this.failed = null;
    this.shown = 'results';
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      const answer = await call(signal);
      if (answer.type === 'failed') {
        this.failed = { failure: answer.failure, again };
        return;
      }
      const { callId, findings, wasPaid } = answer;
      const before = this.found;
      this.found = { ...what, callId, findings, wasPaid, again };
      this.#at.results = 0;
      // The shown answer stays free, after a reload too, until another question was sent.
      if (before && before.callId !== callId) await api.tools.used({ callId: before.callId });
    } catch (error) {
      if (!signal.aborted) toastError(error);
    } finally {
      this.isAsking = false;
    }
  }
}

const byProject: Record<string, Research> = {};

/** The research of a project: paid answers are still there after other views. */
export function researchFor(projectId: string): Research {
  return (byProject[projectId] ??= new Research(projectId));
}
