import type { Text } from '../contract/messages/message.ts';
import { type Command, CommanderError } from 'commander';
import { t, setLanguage } from '../contract/messages/words.ts';
import { DailiesError, toDiskTrouble, toMessage } from '../engine/base/errors.ts';
import { dataFolderFor, toLogFile, nonEmpty } from '../host/data-folder.ts';
import { exitStatus, type ExitStatus, InterruptedError, refused } from './exit.ts';
import { guarded, plainText } from './output/text.ts';
import { buildProgram } from './program.ts';
import { aborted, type GlobalOptions, openSession, withGlobals } from './session.ts';
import type { Shell } from './shell.ts';
import type { Perform } from './verb.ts';
import { parseArgs } from 'node:util';
import { type Language, languageFor } from '../contract/messages/languages.ts';
import { languageSetting } from '../host/data-folder.ts';

/** Runs one command line and returns the status to exit with. Never throws. */
export async function runCli(args: readonly string[], outside: Shell): Promise<ExitStatus> {
  const shell = { ...outside, stdout: guarded(outside.stdout), stderr: guarded(outside.stderr) };
  const interruption = new AbortController();
  const release = stopWhenAsked(shell, interruption);
  let status: ExitStatus = exitStatus.saved;
  let program: Command | undefined;
  const perform: Perform =
    ({ name, work, endsAtOnce }) =>
    async (...given) => {
      const options = toOptions(given.at(-1) as Command);
      const asked = { command: `dailies ${name}`, json: 'json' in options };
      const session = openSession(shell, program?.opts() ?? {}, interruption.signal, asked);
      const working = Promise.resolve(work(session, options as never));
      status =
        (await (endsAtOnce
          ? Promise.race([working, aborted(interruption.signal).then(() => interruption.signal.throwIfAborted())])
          : working)) ?? status;
    };
  await setLanguage(chosenLanguage(args, shell));
  try {
    refuseOtherProcessor(shell);
    refuseKeyArgument(args);
    program = await buildProgram(perform, shell, args);
    await program.parseAsync(args, { from: 'user' });
    return status;
  } catch (error) {
    return await reportError(error, shell, args, program?.opts());
  } finally {
    release();
  }
}

function toOptions(command: Command): object {
  const given = command.registeredArguments.map((argument, place) => [
    argument.name().toLowerCase(),
    command.processedArgs[place],
  ]);
  // A verb with verbs below it takes options that it shares with them.
  const above = command.parent?.parent ? command.parent.opts() : {};
  return { ...Object.fromEntries(given.filter(([, value]) => value !== undefined)), ...above, ...command.opts() };
}

/** Further signals within this time mean the first one, ms. */
const SAME_SIGNAL_MS = 1000;

/**
 * The first signal asks to stop. A second one stops at once, and a person then has to decide about requests that were
 * being sent. One Ctrl-C may arrive twice: npm passes it on although the terminal has already sent it to the command. A
 * closing terminal and its shell both send a signal too.
 */
function stopWhenAsked(shell: Shell, interruption: AbortController): () => void {
  let askedAt = 0;
  return shell.onInterrupt((signal) => {
    const now = shell.clock.now();
    if (!interruption.signal.aborted) {
      askedAt = now;
      interruption.abort(new InterruptedError());
      return;
    }
    if (signal === 'SIGHUP' || Math.abs(now - askedAt) < SAME_SIGNAL_MS) return;
    shell.stderr.write(`${t('cli.endedAtOnce')}\n`);
    shell.quitNow(exitStatus.interrupted);
  });
}

/** A Node.js of another processor starts, translated by the system, and then loads none of our native libraries. */
function refuseOtherProcessor({ processor, builtFor }: Shell): void {
  const processors = builtFor();
  if (processors.length === 0 || processors.includes(processor)) return;
  throw refused('cli.otherProcessor', { node: processor, app: processors.join(', ') });
}

/** An argument is kept in the shell's history and shown in the list of processes, where other people can read it. */
function refuseKeyArgument(args: readonly string[]): void {
  if (!args.some((arg) => /^--?(api-?)?(key|token)(=|$)/i.test(arg))) return;
  throw refused('cli.keyArgument');
}

export async function reportError(
  error: unknown,
  shell: Shell,
  args: readonly string[],
  options: GlobalOptions = {},
): Promise<ExitStatus> {
  // Commander has already printed it, with a hint.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatus.saved : exitStatus.usage;
  if (error instanceof InterruptedError) return exitStatus.interrupted;
  if (error instanceof DailiesError) {
    const { errorRemedy } = await import('./output/words.ts');
    complain(shell, options, { text: error.text, remedy: errorRemedy(error) });
    return isFailure(error) ? exitStatus.failed : exitStatus.usage;
  }
  const trouble = toDiskTrouble(error) ?? (await damageOfDatabase(error, shell, options));
  const log = await logInternalError(error, shell, args);
  if (trouble) {
    complain(shell, options, trouble);
    return exitStatus.failed;
  }
  const facts = { reason: plainText(toMessage(error)), log: log === null ? 'none' : 'file', file: log ?? '' };
  shell.stderr.write(`${t('cli.internalError', facts)}\n`);
  return exitStatus.internalError;
}

async function damageOfDatabase(error: unknown, shell: Shell, { data }: GlobalOptions): Promise<DailiesError | null> {
  const { damageFor: damageOf } = await import('../engine/db/open.ts');
  return damageOf(error, dataFolderFor(data, shell));
}

/**
 * The service, the database or a shared engine failed. All other errors ask the person for another command or folder.
 */
function isFailure(error: DailiesError): boolean {
  const isOfService = 'httpStatus' in error || ('service' in error && error.service !== undefined);
  return isOfService || error.code === 'database' || error.code === 'engine_gone';
}

function complain(
  shell: Shell,
  options: GlobalOptions,
  { text, remedy }: { readonly text: Text; readonly remedy: Text },
): void {
  const lines = [text, remedy].map(plainText).filter((line) => line !== '');
  shell.stderr.write(withGlobals(options, `${lines.join('\n')}\n`));
}

/** Returns the file; null where it cannot be written. */
async function logInternalError(error: unknown, shell: Shell, args: readonly string[]): Promise<string | null> {
  try {
    const place = args.indexOf('--data');
    const named = place < 0 ? undefined : args[place + 1];
    const file = toLogFile(dataFolderFor(named, shell));
    const { createFileLogger } = await import('../host/log-file.ts');
    const key = shell.env['DAILIES_API_KEY'];
    createFileLogger(file, (line) => (key ? line.replaceAll(key, '[key]') : line)).error('internal error', { error });
    return file;
  } catch {
    return null;
  }
}

/** The language of a command line: `--lang`, else the setting, else the system's. Read first: `--help` needs it. */
function chosenLanguage(args: readonly string[], shell: Shell): Language {
  const { values } = parseArgs({
    args: [...args],
    options: { lang: { type: 'string' }, data: { type: 'string' } },
    strict: false,
  });
  const given = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined);
  const setting = languageSetting(dataFolderFor(given(values.data), shell));
  return languageFor([given(values.lang) ?? '', setting, systemLanguage(shell.env)]);
}

/** The first of the variables that is set counts, as everywhere; Windows has none of them. */
function systemLanguage(env: Shell['env']): string {
  const named = [env['LC_ALL'], env['LC_MESSAGES'], env['LANG']].map(nonEmpty).find((text) => text !== undefined);
  return named ?? Intl.DateTimeFormat().resolvedOptions().locale;
}
