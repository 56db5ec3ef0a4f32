import { readdirSync } from 'node:fs';
import { InterruptedError } from './exit.ts';
import { processEnvironment } from '../host/process-environment.ts';
import { plainText } from './output/text.ts';
import { stopSignals, type Output, type Questions, type Shell, type StopSignal } from './shell.ts';

export function processShell(): Shell {
  const typed = commandHere(process.env);
  return {
    ...processEnvironment(),
    processor: process.arch,
    builtFor,
    stdin: process.stdin,
    stdout: pasteable(steadyOutput(process.stdout), typed),
    stderr: pasteable(steadyOutput(process.stderr), typed),
    onInterrupt,
    quitNow: (status) => process.exit(status),
    questions: terminalQuestions,
  };
}

/** A stream that may lose its reader (`| head`): later output is dropped and the work goes on, for results are paid. */
function steadyOutput(stream: NodeJS.WriteStream): Output {
  let open = true;
  stream.on('error', () => {
    open = false;
  });
  return {
    get isTTY() {
      return stream.isTTY;
    },
    get columns() {
      return stream.columns;
    },
    write: (text) => open && stream.write(text),
  };
}

/** The package of an app holds the natives of its own processor, a checkout those of all. */
function builtFor(): readonly string[] {
  try {
    const names = readdirSync(new URL('../prebuilds/', import.meta.resolve('better-sqlite3')));
    return names.flatMap((name) => /-(\w+)\.node$/.exec(name)?.[1] ?? []);
  } catch {
    return [];
  }
}

function onInterrupt(listener: (signal: StopSignal) => void): () => void {
  for (const signal of stopSignals) process.on(signal, listener);
  return () => {
    for (const signal of stopSignals) process.off(signal, listener);
  };
}

async function terminalQuestions(): Promise<Questions> {
  const { confirm, isCancel, password } = await import('@clack/prompts');
  return {
    async confirm(question) {
      const answer = await confirm({ message: plainText(question), initialValue: false });
      if (isCancel(answer)) throw new InterruptedError();
      return answer;
    },
    async secret(question) {
      const answer = await password({ message: plainText(question) });
      if (isCancel(answer)) throw new InterruptedError();
      return answer;
    },
  };
}

/** How a person types this command here: as an npm script in a checkout, by its name when installed. */
export function commandHere(env: Readonly<Record<string, string | undefined>>): string {
  const isScript = env['npm_lifecycle_event'] !== undefined && env['npm_package_name'] === 'dailies';
  return isScript ? 'npm run --silent dailies --' : 'dailies';
}

/** An output whose hints can be pasted: commands in backticks, or on their own line, are written as typed here. */
export function pasteable(output: Output, command: string): Output {
  if (command === 'dailies') return output;
  const write = (text: string): unknown =>
    output.write(text.replace(/(`|^ {2})dailies(?= [A-Za-z-])/gm, `$1${command}`));
  // Read each time: the terminal's window may be resized.
  return Object.create(output, { write: { value: write } }) as Output;
}
