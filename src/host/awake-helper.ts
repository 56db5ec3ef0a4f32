import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { windowsProgram } from '../engine/base/machine.ts';
import { environmentForOthers } from '../server/web/browser-desktop.ts';

/** Whether the computer is kept awake: false while nothing needs it; null when it is needed and not known to be so. */
export type KeptAwake = boolean | null;

interface Helper {
  readonly file: string;
  readonly args: readonly string[];
  /** It copies what it is given to its output, and ends with its input: with this process, however that ends. */
  readonly copiesInput: boolean;
}

export function helperFor(platform: NodeJS.Platform, pid: number): Helper {
  if (platform === 'win32') return { file: POWERSHELL, args: windowsArguments(pid), copiesInput: false };
  if (platform === 'darwin') return { file: '/usr/bin/caffeinate', args: ['-i', '/bin/cat'], copiesInput: true };
  // The lock is taken before the command runs, so an answer of the command says that it is held.
  const lock = ['--what=sleep:idle', '--mode=block', '--who=Dailies', '--why=Takes are being made'];
  return { file: '/usr/bin/systemd-inhibit', args: [...lock, '/bin/cat'], copiesInput: true };
}

const POWERSHELL = windowsProgram('System32', 'WindowsPowerShell', 'v1.0', 'powershell.exe');

/** The request lasts as long as the thread that makes it, so the script then waits for this process to end. */
function windowsArguments(pid: number): readonly string[] {
  const script = [
    `$ErrorActionPreference = 'Stop'`,
    `$signature = '[DllImport("kernel32.dll")] public static extern uint SetThreadExecutionState(uint flags);'`,
    `$power = Add-Type -Name Power -Namespace Dailies -MemberDefinition $signature -PassThru`,
    // ES_CONTINUOUS and ES_SYSTEM_REQUIRED; 0 is a refusal.
    `if ($power::SetThreadExecutionState(2147483649) -eq 0) { exit 1 }`,
    `[Console]::Out.WriteLine('awake')`,
    `Wait-Process -Id ${pid}`,
  ].join('; ');
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', script];
}

export interface AwakeHelper {
  readonly state: KeptAwake;
  need(needed: boolean): void;
}

/** Keeps the computer awake by a helper, which never outlives us. `onFailure`: it may sleep, for there is no helper. */
export function systemAwakeHelper(
  onFailure: () => void,
  { platform, env, pid }: Pick<NodeJS.Process, 'platform' | 'env' | 'pid'> = process,
  run: (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess = spawn,
): AwakeHelper {
  let isNeeded = false;
  let running: ChildProcess | null = null;
  let holds = false;

  const forget = (): void => {
    running = null;
    holds = false;
  };
  const lose = (): void => {
    forget();
    onFailure();
  };
  const start = (): void => {
    const { file, args, copiesInput } = helperFor(platform, pid);
    try {
      const child = run(file, args, {
        stdio: [copiesInput ? 'pipe' : 'ignore', 'pipe', 'ignore'],
        // Ctrl-C in the terminal is not for the helper: what is on its way is still waited for.
        detached: platform !== 'win32',
        windowsHide: true,
        env: environmentForOthers(env),
      });
      running = child;
      const onEnd = (): void => {
        if (running === child) lose();
      };
      child.on('error', onEnd);
      child.once('exit', onEnd);
      child.stdout?.once('data', () => {
        if (running === child) holds = true;
      });
      child.stdin?.on('error', onEnd);
      child.stdin?.write('\n');
    } catch {
      lose();
    }
  };
  const end = (): void => {
    const child = running;
    forget();
    child?.stdin?.destroy();
    child?.kill();
  };
  return {
    get state() {
      if (!isNeeded) return false;
      return holds ? true : null;
    },
    need(needed) {
      if (needed === isNeeded) return;
      isNeeded = needed;
      if (needed) start();
      else end();
    },
  };
}
