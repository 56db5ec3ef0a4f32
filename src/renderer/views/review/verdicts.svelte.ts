import { t } from '../../../contract/messages/words.ts';
import {
  withChange,
  withoutChange,
  type GivenVerdict,
  type TakeView,
  type Verdict,
  type VerdictChange,
} from '../../../contract/review.ts';
import { api } from '../../lib/client.ts';
import { toastError } from '../../lib/toasts.ts';
import { offerUndo, undoHistory, type Reverse } from '../../lib/undo.svelte.ts';

interface Judged {
  readonly takeId: string;
  readonly verdict: Verdict;
}

interface Step {
  readonly change: VerdictChange;
  readonly seen: readonly Judged[];
  token: string;
}

export interface TakesOnScreen {
  takeOf(takeId: string): TakeView | undefined;
  /** Shows these verdicts before the engine has answered: judging must not wait. */
  showVerdicts(verdicts: ReadonlyMap<string, Verdict>): void;
}

const verdictsByTake = (judged: readonly Judged[]): ReadonlyMap<string, Verdict> =>
  new Map(judged.map(({ takeId, verdict }) => [takeId, verdict]));

/** Marks this window's calls, so that it recognizes its own events. */
const by = crypto.randomUUID();

export class Verdicts {
  #screen: TakesOnScreen | null = null;
  /** Calls go out in the order of the keys. */
  #queue: Promise<unknown> = Promise.resolve();
  #unanswered = 0;
  /** Verdicts of other windows during calls of this one. */
  #heard: readonly Judged[] = [];

  /** Shows verdicts on a screen until the returned function is called. For `$effect`. */
  showOn(screen: TakesOnScreen): () => void {
    this.#screen = screen;
    return () => {
      if (this.#screen === screen) this.#screen = null;
    };
  }

  /** Gives one verdict to some takes; `seen` are those on screen, in their present state. */
  judge(takeIds: readonly string[], seen: readonly TakeView[], change: VerdictChange, words: string): void {
    const done = takeIds.length > 1 ? t('common.namedTakes', { count: takeIds.length, problem: words }) : words;
    const step: Step = {
      change,
      seen: seen.map(({ id, verdict }) => ({ takeId: id, verdict })),
      token: '',
    };
    const undoStep = undoHistory.add(done, () => this.#reverse(step, true));
    this.#showWith(step);
    const give = async (): Promise<void> => {
      const judged = await api.takes.judge({ ids: [...takeIds], verdict: change, by });
      step.token = judged?.undo ?? '';
      if (!judged) undoHistory.drop(undoStep);
      // One take is taken back by a key and a button in sight; many deserve a word.
      else if (takeIds.length > 1) offerUndo(done, undoStep);
    };
    this.#send(give).catch((error: unknown) => {
      undoHistory.drop(undoStep);
      this.#showWithout(step);
      undoHistory.said = t('review.verdictNotKept', { done });
      toastError(error, undoHistory.said);
    });
  }

  /**
   * Shows verdicts that the engine announces. During own calls the screen is ahead of the engine: an event of this
   * window is older than the screen, and one of another window waits until all calls are answered.
   */
  onVerdicts(given: readonly GivenVerdict[]): void {
    const older = this.#heard.filter(({ takeId }) => !given.some((newer) => newer.takeId === takeId));
    this.#heard = [...older, ...given.filter((each) => this.#unanswered === 0 || each.by !== by)];
    this.#showHeard();
  }

  #showHeard(): void {
    if (this.#unanswered > 0 || this.#heard.length === 0) return;
    this.#screen?.showVerdicts(verdictsByTake(this.#heard));
    this.#heard = [];
  }

  /** Takes it back, or gives it again. Shown once the engine has it: what a person sees stays so after a reload. */
  async #reverse(step: Step, isBack: boolean): Promise<Reverse> {
    // By then the engine has answered the call before: they go out one after the other.
    await this.#send(async () => {
      step.token = (await api.commands.undo({ token: step.token })).undo ?? '';
      if (isBack) this.#showWithout(step);
      else this.#showWith(step);
    });
    return () => this.#reverse(step, !isBack);
  }

  #showWith({ seen, change }: Step): void {
    this.#screen?.showVerdicts(
      verdictsByTake(
        seen.map(({ takeId, verdict }) => {
          const now = this.#screen?.takeOf(takeId)?.verdict ?? verdict;
          return { takeId, verdict: withChange(now, change) };
        }),
      ),
    );
  }

  #showWithout({ seen, change }: Step): void {
    const back = seen.flatMap(({ takeId, verdict }) => {
      const now = this.#screen?.takeOf(takeId)?.verdict;
      return now ? [{ takeId, verdict: withoutChange(now, change, verdict) }] : [];
    });
    this.#screen?.showVerdicts(verdictsByTake(back));
  }

  async #send(call: () => Promise<void>): Promise<void> {
    this.#unanswered += 1;
    const answered = this.#queue.then(call);
    this.#queue = answered.catch(() => undefined);
    try {
      await answered;
    } finally {
      this.#unanswered -= 1;
      this.#showHeard();
    }
  }
}

const byProject: Record<string, Verdicts> = {};

/** The verdicts of a project: they can be undone after other views, too. */
export function verdictsFor(projectId: string): Verdicts {
  return (byProject[projectId] ??= new Verdicts());
}
