import type { Settings } from '../contract/settings.ts';
import { proxiesOf } from '../engine/api/proxies.ts';
import type { Engine } from '../engine/engine-api.ts';
import { freeBytes } from '../engine/files/free-space.ts';
import type { Logger } from '../engine/base/ports.ts';
import { logFileOf } from '../host/data-folder.ts';
import { createFileLogger } from '../host/log-file.ts';
import type { Session } from './session.ts';

export interface EngineNeeds {
  readonly settings: Settings;
  readonly apiKey: string | null;
  /** What others are told holds the data folder: `dailies run`. */
  readonly command: string;
}

/** Starts an engine on the session's data folder, works with it, and stops it whatever happens. */
export async function withEngine<Result>(
  session: Session,
  { settings, apiKey, command }: EngineNeeds,
  work: (engine: Engine) => Result | Promise<Result>,
): Promise<Result> {
  const { clock, env, startEngine } = session.shell;
  const engine = await startEngine({
    dataFolder: session.dataFolder,
    settings,
    command,
    ports: {
      clock,
      logger: loggerOf(session, apiKey),
      secrets: { apiKey: () => apiKey },
      disk: { freeBytes },
      proxyFor: proxiesOf(env),
    },
  });
  try {
    return await work(engine);
  } finally {
    await engine.stop();
  }
}

/** The log of a session, with the key taken out of every line. */
export function loggerOf({ dataFolder }: Session, apiKey: string | null): Logger {
  return createFileLogger(logFileOf(dataFolder), (line) => (apiKey === null ? line : line.replaceAll(apiKey, '[key]')));
}
