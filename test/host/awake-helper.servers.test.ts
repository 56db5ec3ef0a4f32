import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { helperFor, systemAwakeHelper } from '../../src/host/awake-helper.ts';

/** A helper whose program is replaced by `command`; what was started, and how often it failed. */
function helperWith(command: (file: string, args: readonly string[]) => [string, ...string[]]) {
  const started: ChildProcess[] = [];
  const asked: { file: string; options: SpawnOptions }[] = [];
  let failures = 0;
  const failed = Promise.withResolvers<null>();
  const env = { PATH: '/usr/bin', DAILIES_API_KEY: 'the-key' };
  const onFailure = (): void => {
    failures += 1;
    failed.resolve(null);
  };
  const helper = systemAwakeHelper(onFailure, { platform: 'linux', env, pid: process.pid }, (file, args, options) => {
    asked.push({ file, options });
    const [program, ...rest] = command(file, args);
    const child = spawn(program, rest, options);
    started.push(child);
    return child;
  });
  onTestFinished(() => helper.need(false));
  return { helper, started, asked, failed: failed.promise, failures: () => failures };
}

/** Stands in for `systemd-inhibit`, which runs the command once it has the lock. */
const grants = (_file: string, args: readonly string[]): [string] => [args.at(-1) ?? ''];

const heardOf = async (child: ChildProcess | undefined): Promise<void> => {
  if (child?.stdout) await once(child.stdout, 'data');
};

describe.skipIf(process.platform === 'win32')('keeping the computer awake by a program of the system', () => {
  it('says so only once the lock is held, and lets it go when nothing needs it', async () => {
    const { helper, started, failures } = helperWith(grants);
    expect(helper.state).toBe(false);
    helper.need(true);
    expect(helper.state).toBeNull();
    await heardOf(started[0]);
    expect(helper.state).toBe(true);
    helper.need(true);
    expect(started).toHaveLength(1);
    const [child] = started;
    helper.need(false);
    expect(helper.state).toBe(false);
    if (child) await once(child, 'exit');
    expect(failures()).toBe(0);
  });

  it('ends with this process, whose end closes its input', async () => {
    const { helper, started, failed } = helperWith(grants);
    helper.need(true);
    await heardOf(started[0]);
    started[0]?.stdin?.end();
    await failed;
    expect(helper.state).toBeNull();
  });

  it.each([
    ['is missing', (): [string] => ['/nowhere/systemd-inhibit']],
    ['is refused the lock', (): [string] => ['/bin/false']],
    [
      'cannot be started at all',
      (): [string] => {
        throw new Error('spawn UNKNOWN');
      },
    ],
  ])('does not claim it when the program %s, and says so once', async (_why, command) => {
    const { helper, failed, failures } = helperWith(command);
    helper.need(true);
    await failed;
    expect(helper.state).toBeNull();
    expect(failures()).toBe(1);
    helper.need(false);
    expect(helper.state).toBe(false);
  });

  it('tries again the next time it is needed', async () => {
    const answers: [string][] = [['/bin/false']];
    const { helper, started, failed } = helperWith((file, args) => answers.shift() ?? grants(file, args));
    helper.need(true);
    await failed;
    helper.need(false);
    helper.need(true);
    await heardOf(started[1]);
    expect(helper.state).toBe(true);
  });

  it('starts a program by its whole path, beyond the reach of Ctrl-C, without the key', () => {
    const { helper, asked } = helperWith(grants);
    helper.need(true);
    expect(asked[0]?.file).toBe('/usr/bin/systemd-inhibit');
    expect(asked[0]?.options).toMatchObject({ detached: true, windowsHide: true, env: { PATH: '/usr/bin' } });
    expect(asked[0]?.options.env).not.toHaveProperty('DAILIES_API_KEY');
  });
});

describe('the helper of each system', () => {
  it.each(['linux', 'darwin', 'win32'] as const)('is named by its whole path on %s', (platform) => {
    expect(helperFor(platform, 42).file).toMatch(/^(\/|[A-Z]:\\)/);
  });

  it('waits on Windows for this process, and holds back neither the display nor a question', () => {
    const { args } = helperFor('win32', 42);
    expect(args).toContain('-NonInteractive');
    expect(args.at(-1)).toContain('Wait-Process -Id 42');
    // SetThreadExecutionState: ES_CONTINUOUS 0x80000000 with ES_SYSTEM_REQUIRED 0x1, not ES_DISPLAY_REQUIRED 0x2.
    expect(args.at(-1)).toContain(String(0x80000001));
  });

  // On Linux a service or a container may have no lock to give.
  it.runIf(['darwin', 'win32'].includes(process.platform))(
    'keeps this computer awake',
    { timeout: 60_000 },
    async () => {
      let child: ChildProcess | undefined;
      const run = (file: string, args: readonly string[], options: SpawnOptions) =>
        (child = spawn(file, args, options));
      const helper = systemAwakeHelper(() => undefined, process, run);
      onTestFinished(() => helper.need(false));
      helper.need(true);
      await heardOf(child);
      expect(helper.state).toBe(true);
    },
  );
});
