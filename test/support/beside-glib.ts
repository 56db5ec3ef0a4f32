import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The GLib of this system, which Electron links on Linux; null where there is none. */
export const systemGlib =
  ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib']
    .map((folder) => `${folder}/libgobject-2.0.so.0`)
    .find((file) => process.platform === 'linux' && existsSync(file)) ?? null;

export const noGlib = 'this system has no GLib to load beside sharp';

/** Runs a module's text as Electron would run it on Linux: with the system's GLib in the process. */
export function runBesideGlib(text: string): { readonly said: unknown; readonly complaints: readonly string[] } {
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
    env: { ...process.env, LD_PRELOAD: systemGlib ?? '' },
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const complaints = stderr.split('\n').filter((line) => /GLib|CRITICAL|Error/.test(line));
  if (stdout === '') throw new Error(`Nothing was said (${String(signal)}): ${stderr}`);
  return { said: JSON.parse(stdout), complaints };
}
