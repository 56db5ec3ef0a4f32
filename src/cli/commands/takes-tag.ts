import { say } from '../../contract/messages/words.ts';
import { MOST_TAGS } from '../../contract/tags.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { printTo, type Session } from '../session.ts';
import { judgeTakes } from './takes-judge.ts';
import { namedOrFitting, type TakesWanted } from './wanted-takes.ts';

export interface TagOptions extends TakesWanted {
  readonly tags: readonly string[];
}

/** Adds tags to the takes that fit, or removes them. A search is required, so that a slip does not tag all of them. */
export const tagTakes =
  (action: 'tag' | 'untag') =>
  async (session: Session, options: TagOptions): Promise<ExitStatus> => {
    const { tags } = options;
    const removes = action === 'untag';
    if (tags.length > MOST_TAGS)
      throw new UsageError(say('cli.mostTags', { most: MOST_TAGS }), say('cli.mostTagsRemedy'));
    const takeIds = namedOrFitting(session, options);
    if (takeIds.length > 0) {
      const change = removes ? { removeTags: [...tags] } : { addTags: [...tags] };
      await judgeTakes(session, takeIds, change);
    }
    const facts = { count: takeIds.length, tags: tags.map(plainText) };
    if (options.json) {
      const type = removes ? 'untagged' : 'tagged';
      session.shell.stdout.write(jsonLine({ type, tags, takes: takeIds.length }));
    } else printTo(session)(removes ? say('cli.takesUntagged', facts) : say('cli.takesTagged', facts));
    return exitStatus.saved;
  };
