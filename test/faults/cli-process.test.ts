import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDemoService, type DemoService } from '../../src/demo/service.ts';

/** The command as it is installed: these tests run after the build. */
const COMMAND = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder, a demo service, and the real command between them. */
class Place {
  readonly folder = mkdtempSync(join(tmpdir(), 'dailies-process-'));
  readonly service: DemoService;

  constructor(service: DemoService) {
    this.service = service;
    onTestFinished(async () => {
      await service.stop();
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  static async open(): Promise<Place> {
    return new Place(await startDemoService({ media: 'tiny', speed: { videoMs: 200, imageMs: 200, musicMs: 200 } }));
  }

  start(...args: string[]): ChildProcess {
    return spawn(process.execPath, [COMMAND, ...args], { cwd: this.folder, env: this.#env() });
  }

  async run(...args: string[]): Promise<Ended> {
    return ended(this.start(...args));
  }

  list(rows: number): string {
    const lines = Array.from({ length: rows }, (_, index) => `S${index},music,music-demo,tune number ${index}`);
    writeFileSync(join(this.folder, 'night.csv'), ['shot,kind,model,prompt', ...lines].join('\n'));
    return 'night.csv';
  }

  #env(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      DAILIES_DATA: join(this.folder, 'data'),
      DAILIES_BASE_URL: this.service.url,
      DAILIES_API_KEY: this.service.apiKey,
    };
  }
}

function ended(child: ChildProcess): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (piece: Buffer) => (stdout += piece.toString()));
  child.stderr?.on('data', (piece: Buffer) => (stderr += piece.toString()));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, stdout, stderr }));
  });
}

const summaryOf = ({ stdout }: Ended) => JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as object;
const commits = (place: Place) => place.service.ledger.commits;

describe('the built command', () => {
  it('answers --help without loading what only other commands need', () => {
    const watch = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        const found = next(name, context);
        if (!found.url.startsWith('node:') && !found.url.startsWith('data:')) process.stderr.write(found.url + '\\n');
        return found;
      } });`;
    const hook = `data:text/javascript,${encodeURIComponent(watch)}`;
    const help = spawnSync(process.execPath, ['--import', hook, COMMAND, '--help'], { encoding: 'utf8' });
    expect(help.status).toBe(0);
    expect(help.stdout).toContain('Usage: dailies');
    const files = [...new Set(help.stderr.trim().split('\n'))].map((url) => fileURLToPath(url));
    expect(files.every((file) => file.includes(join('out', 'main')))).toBe(true);
    // The words and what reads them; a database, a network library or schemas would be ten times as much.
    expect(files.reduce((bytes, file) => bytes + statSync(file).size, 0)).toBeLessThan(200_000);
  });

  it('runs from any folder, with its log in the data folder and nothing on standard error', async () => {
    const place = await Place.open();
    const end = await place.run('run', place.list(3), '--project', 'film', '--json');
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(summaryOf(end)).toEqual({ type: 'summary', saved: 3, failed: 0, unknown: 0, cancelled: 0, unfinished: 0 });
    expect(readFileSync(join(place.folder, 'data', 'logs', 'dailies.log'), 'utf8')).toContain('A task was accepted');
    expect(readFileSync(join(place.folder, 'data', 'logs', 'dailies.log'), 'utf8')).not.toContain(place.service.apiKey);
  });

  it('goes on when whoever reads its output goes away', async () => {
    const place = await Place.open();
    const child = place.start('run', place.list(5), '--project', 'film', '--json');
    child.stdout?.once('data', () => child.stdout?.destroy());
    expect(await ended(child)).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(join(place.folder, 'film', 'night')).filter((name) => name.endsWith('.wav'))).toHaveLength(5);
  });

  it('drains at SIGTERM with 130, and a resumed run pays for nothing twice', async () => {
    const place = await Place.open();
    const child = place.start('run', place.list(12), '--project', 'film', '--json');
    const ending = ended(child);
    await expect.poll(() => commits(place), { timeout: 10_000 }).toBeGreaterThan(2);
    child.kill('SIGTERM');
    const interrupted = await ending;
    expect(interrupted.status).toBe(130);
    expect(summaryOf(interrupted)).toMatchObject({ unknown: 0 });
    expect(await place.run('resume')).toMatchObject({ status: 0 });
    expect(commits(place)).toBe(12);
  });

  it('ends at once at the second SIGINT, and lists what was under way as undecided', async () => {
    const place = await Place.open();
    place.service.faults.add({ match: { method: 'POST', prompt: 'number 0' }, do: { fault: 'hang', commit: true } });
    const child = place.start('run', place.list(1), '--project', 'film');
    const ending = ended(child);
    await expect.poll(() => commits(place), { timeout: 10_000 }).toBe(1);
    child.kill('SIGINT');
    await new Promise((heard) => child.stdout?.on('data', (text: Buffer) => text.includes('under way') && heard(null)));
    child.kill('SIGINT');
    expect((await ending).status).toBe(130);
    const resumed = await place.run('resume');
    expect(resumed.status).toBe(4);
    expect(resumed.stdout).toContain('jobs resolve');
    expect(commits(place)).toBe(1);
  });

  it('is killed and run again: nothing is lost, and no request is sent twice', async () => {
    const place = await Place.open();
    const list = place.list(12);
    const child = place.start('run', list, '--project', 'film');
    const ending = ended(child);
    await expect.poll(() => commits(place), { timeout: 10_000 }).toBeGreaterThan(4);
    child.kill('SIGKILL');
    await ending;
    const again = await place.run('run', list, '--project', 'film', '--json');
    expect([0, 4]).toContain(again.status);
    expect(summaryOf(again)).toMatchObject({ failed: 0, unfinished: 0 });
    const prompts = place.service.ledger.posts().map(({ body }) => (body as { prompt: string }).prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
  });

  it('shows the demo from its own files', async () => {
    const place = await Place.open();
    const end = await place.run('demo', '--shots', '2', '--out', 'show', '--data', 'elsewhere');
    expect(end).toMatchObject({ status: 0, stderr: '' });
    expect(end.stdout).toContain('Open this folder');
    expect(existsSync(join(place.folder, 'elsewhere', 'dailies.db'))).toBe(true);
    // The demo speaks with its own service, whatever address and key are set.
    expect(place.service.ledger.received).toBe(0);
  });
});
