import type { Settings } from '../contract/settings.ts';
import { parseServiceAddress } from '../engine/api/address.ts';
import type { Engine } from '../engine/engine-api.ts';
import type { Logger } from '../engine/ports.ts';
import { dataFolderOf, logFileOf, nonEmpty } from './data-folder.ts';
import { UsageError } from './exit.ts';
import { commandLine, type GlobalOptions } from './globals.ts';
import { portsOf } from './host.ts';
import { findKey } from './key.ts';
import { createFileLogger } from './log-file.ts';
import { readSettings } from './settings-file.ts';
import type { Shell } from './shell.ts';

/** One command at work: what it was given, and where its things are. */
export interface Session {
  readonly shell: Shell;
  readonly options: GlobalOptions;
  readonly dataFolder: string;
  /** Aborted when the person asks to stop. */
  readonly interrupted: AbortSignal;
}

export function openSession(shell: Shell, options: GlobalOptions, interrupted: AbortSignal): Session {
  return { shell, options, dataFolder: dataFolderOf(options, shell), interrupted };
}

/** The settings in force: of the data folder, with the address of `--base-url` or `DAILIES_BASE_URL` over its own. */
export function settingsOf({ shell, options, dataFolder }: Session): Settings {
  const settings = readSettings(dataFolder);
  const address = options.baseUrl ?? nonEmpty(shell.env['DAILIES_BASE_URL']);
  return address === undefined ? settings : { ...settings, baseUrl: parseServiceAddress(address).base };
}

/** What is needed to speak with the service. */
export interface ServiceAccess {
  readonly settings: Settings;
  readonly apiKey: string;
}

/** Throws UsageError, before anything is stored, when address or key is missing. */
export async function serviceAccess(session: Session): Promise<ServiceAccess> {
  const settings = settingsOf(session);
  if (settings.baseUrl === '') {
    throw new UsageError(
      'No service address is set.',
      `Set it with \`${commandLine(session.options, 'config', 'set', 'base-url', 'https://HOST')}\`, DAILIES_BASE_URL or --base-url; \`dailies demo\` needs none.`,
    );
  }
  const found = await findKey(session.shell, session.dataFolder);
  if (!found) {
    throw new UsageError(
      'No key for the service is set.',
      `Set it with \`${commandLine(session.options, 'config', 'set', 'api-key')}\` or DAILIES_API_KEY.`,
    );
  }
  return { settings, apiKey: found.key };
}

/** The log of a session, with `apiKey` taken out of every line. */
export function loggerOf(session: Session, apiKey: string | null): Logger {
  return createFileLogger(logFileOf(session.dataFolder), (line) =>
    apiKey === null ? line : line.replaceAll(apiKey, '[key]'),
  );
}

export interface EngineNeeds {
  readonly settings: Settings;
  readonly apiKey: string | null;
  /** What others are told holds the data folder: `dailies run`. */
  readonly command: string;
}

/** Starts an engine on the session's data folder, works with it, and stops it whatever happens. */
export async function withEngine<Result>(
  session: Session,
  needs: EngineNeeds,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const { clock, startEngine } = session.shell;
  const engine = await startEngine({
    dataFolder: session.dataFolder,
    settings: needs.settings,
    command: needs.command,
    ports: portsOf({
      clock,
      logger: loggerOf(session, needs.apiKey),
      secrets: { apiKey: () => needs.apiKey },
    }),
  });
  try {
    return await work(engine);
  } finally {
    await engine.stop();
  }
}
