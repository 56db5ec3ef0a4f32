import { say } from '../../contract/messages/words.ts';
import { MOST_TAGS } from '../../contract/tags.ts';
import { EngineConnector } from '../engine/engine-connector.ts';
import { exitStatus, UsageError, type ExitStatus } from '../exit.ts';
import { jsonLine } from '../output/ndjson.ts';
import { plainText } from '../output/text.ts';
import { viewDataFolder } from '../read-only-view.ts';
import { settingsOf } from '../service-access.ts';
import { printTo, type Session } from '../session.ts';
import { takeNamed } from './takes.ts';
import { fittingTakes, requireReadable, type TakesListOptions } from './takes-list.ts';

export interface TagOptions extends TakesListOptions {
  readonly tags: readonly string[];
  readonly removes: boolean;
  /** Ids of takes, or their beginnings or ends. */
  readonly take?: readonly string[];
}

/** Adds tags to the takes that fit, or removes them. Which takes has to be said: all of them are tagged by no slip. */
export async function tagTakes(session: Session, options: TagOptions): Promise<ExitStatus> {
  const { tags, removes, where, take: named } = options;
  if ((where === undefined) === (named === undefined)) {
    throw new UsageError(say('cli.whichTakes'), say('cli.whichTakesRemedy'));
  }
  if (tags.length > MOST_TAGS)
    throw new UsageError(say('cli.mostTags', { most: MOST_TAGS }), say('cli.mostTagsRemedy'));
  requireReadable(where);
  const takeIds = named
    ? [...new Set(named.map((text) => takeNamed(session, text).id))]
    : viewDataFolder(session.dataFolder, (view) =>
        view ? fittingTakes(view, options, session).map(({ id }) => id) : [],
      );
  if (takeIds.length > 0) {
    const own = () => Promise.resolve({ settings: settingsOf(session), apiKey: null });
    const way = await EngineConnector.find(session, { command: 'dailies takes', sends: false, own });
    await way.use(async ({ takes }) => {
      await takes.judge(takeIds, removes ? { removeTags: [...tags] } : { addTags: [...tags] });
    });
  }
  const facts = { count: takeIds.length, tags: tags.map(plainText) };
  if (options.json) {
    const type = removes ? 'untagged' : 'tagged';
    session.shell.stdout.write(jsonLine({ type, tags, takes: takeIds.length }));
  } else printTo(session)(removes ? say('cli.takesUntagged', facts) : say('cli.takesTagged', facts));
  return exitStatus.saved;
}
