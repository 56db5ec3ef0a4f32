import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const surroundings = new URL('../../src/host/process-environment.ts', import.meta.url).href;

/** Runs a script of a program that has looked about itself, started with a key. */
function run(script: string): string {
  const source = `import { processEnvironment } from '${surroundings}';
    import { execFileSync } from 'node:child_process';
    const { env } = processEnvironment();
    ${script}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    env: { ...process.env, DAILIES_API_KEY: 'the-key', DAILIES_BASE_URL: 'https://media.example' },
    encoding: 'utf8',
  });
  if (stderr.includes('Error')) throw new Error(stderr);
  return stdout;
}

it('the environment of a program of ours has no key for what it starts, and has it for itself, as often as it is asked', () => {
  const child = "execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { encoding: 'utf8' })";
  const seen = run(`process.stdout.write(${child})`);
  expect(seen).toContain('https://media.example');
  expect(seen).not.toContain('the-key');
  expect(run('console.log(env.DAILIES_API_KEY, processEnvironment().env.DAILIES_API_KEY)')).toBe('the-key the-key\n');
});
