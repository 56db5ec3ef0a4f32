import { say } from '../../contract/messages/words.ts';
import type { RecoveryReport } from '../../engine/jobs/recovery.ts';
import type { JobView } from '../../contract/job.ts';
import type { RunProgressEvent } from '../../contract/run.ts';
import type { ReadList } from '../read-list.ts';
import { type Session, commandLine } from '../session.ts';
import type { Connection } from './connection.ts';
import { EngineGoneError, inWords } from './shared-errors.ts';
import type { CommandEngine, ListStart, Watch } from './command-engine.ts';

/** This command started nothing, so it repaired nothing. */
const nothingRecovered: RecoveryReport = { unknownSubmits: 0, recoveredAnswers: 0, interruptedImports: [] };

/** The engine of another process, for commands. That process reads the files: it is on this machine. */
export function sharedEngine(session: Session, connection: Connection): CommandEngine {
  const { holder, api } = connection;
  return {
    ...{ api, sharedBy: holder, recovery: nothingRecovered },
    upload: (paths, target) => api.library.uploadFiles({ paths: [...paths], target }),
    async startList(start) {
      const news = connection.listen(await api.runs.start(listToRun(start)));
      const first = await nextOf(news, connection);
      if (first.type !== 'started') throw new EngineGoneError(holder);
      const { type: _, ...started } = first;
      return { started, watch: () => watch(session, connection, news) };
    },
    async watch(scope, { resumePaused }) {
      if (resumePaused) await api.queue.resume({});
      return watch(session, connection, connection.listen(await api.runs.follow(scope)));
    },
  };
}

function listToRun({ list, project, batch, again, keepOthers, agreed, paidAgain, cap, window, order }: ListStart) {
  const { listFolder, source, bytes, read, variables } = list;
  return {
    project,
    batch,
    listFolder,
    source,
    again,
    keepOthers,
    agreed: [...agreed],
    paidAgain,
    cap,
    window,
    order,
    variables: Object.fromEntries(variables),
    ...read,
    content: contentOf(bytes),
  };
}

const contentOf = (bytes: ReadList['bytes']): string => Buffer.from(bytes).toString('base64');

async function nextOf(
  news: AsyncGenerator<RunProgressEvent, void, void>,
  { holder }: Connection,
): Promise<RunProgressEvent> {
  const { done, value } = await news.next();
  if (done === true) throw new EngineGoneError(holder);
  return value;
}

async function watch(
  { options }: Session,
  connection: Connection,
  news: AsyncGenerator<RunProgressEvent, void, void>,
): Promise<Watch> {
  const takes: JobView[] = [];
  for (;;) {
    const message = await nextOf(news, connection);
    if (message.type !== 'takes') throw new EngineGoneError(connection.holder);
    takes.push(...message.takes);
    if (message.last) break;
  }
  return {
    takes,
    async go(hear) {
      for await (const message of news) {
        if (message.type === 'events') message.events.forEach(hear);
        if (message.type === 'ended') return message.end;
      }
      throw new EngineGoneError(connection.holder);
    },
    whenPaused: say('cli.whenPaused', { command: commandLine(options, 'resume') }),
    farewell: () => say('cli.farewell', { other: inWords(connection.holder), command: commandLine(options, 'status') }),
  };
}
