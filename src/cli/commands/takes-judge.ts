import { say } from '../../contract/messages/words.ts';
import { MAX_IDS } from '../../contract/commands/jobs.ts';
import { Verdict, type VerdictChange } from '../../contract/verdict.ts';
import { withQuietEngine } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { shortText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { namedOrFitting, type TakesWanted } from './wanted-takes.ts';

export interface JudgeOptions extends TakesWanted {
  readonly dryRun?: boolean;
  readonly stars?: string;
  readonly text?: string;
}

/** What a command sets of a verdict, and its text for a person. */
interface Change {
  readonly change: VerdictChange;
  readonly words: string;
}

/** Gives takes a verdict, so many in one call as an engine takes. */
export const judgeTakes = (session: Session, takeIds: readonly string[], verdict: VerdictChange): Promise<void> =>
  withQuietEngine(session, 'dailies takes', async ({ api: { takes } }) => {
    for (let start = 0; start < takeIds.length; start += MAX_IDS) {
      await takes.judge({ ids: takeIds.slice(start, start + MAX_IDS), verdict });
    }
  });

/** A search is required, so that a slip does not judge all takes. */
const judge =
  (changeOf: (options: JudgeOptions) => Change) =>
  async (session: Session, options: JudgeOptions): Promise<ExitStatus> => {
    const { change, words } = changeOf(options);
    const takeIds = namedOrFitting(session, options);
    const isTried = options.dryRun === true;
    if (!isTried && takeIds.length > 0) {
      await judgeTakes(session, takeIds, change);
    }
    const facts = { count: takeIds.length, verdict: words };
    if (options.json) {
      const type = isTried ? 'would_judge' : 'judged';
      session.shell.stdout.write(jsonLine({ type, ...change, takes: takeIds.length }));
    } else printTo(session)(isTried ? say('cli.wouldJudge', facts) : say('cli.takesJudged', facts));
    return exitStatus.saved;
  };

export const judgeCommands = {
  rate: judge(({ stars = '' }) => {
    const rating = Verdict.shape.rating.safeParse(/^\d$/.test(stars) ? Number(stars) : null);
    if (!rating.success) throw new UsageError(say('cli.notStars'), say('cli.notStarsRemedy'));
    return { change: { rating: rating.data }, words: say('review.stars', { stars: rating.data }) };
  }),
  pick: judge(() => ({ change: { flag: 'pick' }, words: say('review.picked') })),
  reject: judge(() => ({ change: { flag: 'reject' }, words: say('review.rejected') })),
  unflag: judge(() => ({ change: { flag: null }, words: say('cli.noFlag') })),
  note: judge(({ text = '' }) => {
    const note = Verdict.shape.note.safeParse(text.trim());
    if (!note.success) throw new UsageError(say('cli.noteTooLong'), say('cli.noteTooLongRemedy'));
    const words = note.data === '' ? say('cli.noNote') : say('cli.noteIs', { note: shortText(note.data, 200) });
    return { change: { note: note.data }, words };
  }),
};
