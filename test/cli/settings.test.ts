import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keptText } from '../../src/host/key.ts';
import { CliScene, FakeKeychain, typed } from './support.ts';

describe('config', () => {
  it('keeps settings, by dotted names and in any spelling', async () => {
    const scene = new CliScene();
    expect(await scene.run('config', 'set', 'base-url', 'https://media.example/gateway/v1/')).toBe(0);
    expect(await scene.run('config', 'set', 'concurrency.submit', '9')).toBe(0);
    expect(await scene.says('config', 'get', 'baseUrl')).toBe('https://media.example/gateway\n');
    await scene.run('config', 'get');
    expect(scene.stdout.lines).toContain('concurrency.submit = 9');
    expect(scene.stdout.lines).toContain('concurrency.poll = 16');
    expect(scene.stdout.lines).toContain('apiKey: not set');
    expect(await scene.says('config', 'set', 'concurrency.submit', '--default')).toBe('concurrency.submit = 4\n');
  });

  it('takes lists as JSON', async () => {
    const scene = new CliScene();
    const prices = '[{"model":"vgen-*","per":"second","price":0.2}]';
    expect(await scene.run('config', 'set', 'prices', prices)).toBe(0);
    expect(await scene.says('config', 'get', 'prices')).toBe(`${prices}\n`);
  });

  it('takes yes and no in several words', async () => {
    const scene = new CliScene();
    for (const [word, kept] of [
      ['yes', 'true'],
      ['OFF', 'false'],
      ['true', 'true'],
    ] as const) {
      await scene.run('config', 'set', 'keep-running', word);
      scene.stdout.text = '';
      expect(await scene.says('config', 'get', 'keep-running')).toBe(`${kept}\n`);
    }
  });

  it('takes folders by their whole paths, and goes back to none', async () => {
    const scene = new CliScene();
    expect(await scene.run('config', 'set', 'projects-folder', scene.path('films'))).toBe(0);
    expect(scene.stdout.text).toBe(`projectsFolder = ${scene.path('films')}\n`);
    expect(statSync(scene.path('films')).isDirectory()).toBe(true);
    expect(await scene.says('config', 'set', 'projects-folder', '--default')).toBe('projectsFolder = \n');
  });

  it('warns of names that are the same for many shots, and keeps them', async () => {
    const scene = new CliScene();
    expect(await scene.run('config', 'set', 'nameTemplate', '{model}_t{take}')).toBe(0);
    expect(scene.stdout.text).toContain('Many shots get the same file name');
  });

  it('says how to put it right in the data folder that was given', async () => {
    const scene = new CliScene();
    expect(await scene.run('--data', 'other', 'config', 'set', 'concurrency', '0')).toBe(2);
    expect(scene.stderr.text).toContain('`dailies --data other config get`');
    expect(await scene.says('--data', 'other', 'status')).toContain('`dailies --data other demo`');
  });

  it.each([
    [['prices', 'cheap'], 'is written as JSON'],
    [['prices', '[{"model":"x"}]'], 'prices'],
    [['concurrency.submit', 'many'], 'is a number'],
    [['concurrency.submit', '0'], 'concurrency.submit must be more than 0.'],
    [['nameTemplate', ''], 'nameTemplate must not be empty.'],
    [['currency', 'x'.repeat(21)], 'currency has a limit of 20 characters.'],
    [['paths.musicSubmit', 'tasks'], 'paths.musicSubmit must begin with /.'],
    [['paths.musicTask', '/tasks'], 'paths.musicTask must contain {task_id}.'],
    [['keepRunning', 'perhaps'], 'true or false'],
    [['selectsFolder', 'selects'], 'not a full path'],
    [['submitTimeoutSeconds', '5'], 'submitTimeoutSeconds must be at least 60.'],
    [['base-url', 'ftp://host'], 'https://'],
    [['base-url', 'https://user:pass@host'], 'user name'],
    [['concurency.submit', '4'], 'is not known. `dailies config get` lists them all.'],
    [['baseUrl'], 'one new value'],
    [['appearance', 'blue'], 'appearance is one of dark, light, system, not "blue".'],
    [['nameTemplate', '{x'], 'The name {x has a brace without its partner'],
    [['nameTemplate', 'x}'], 'has a brace without its partner'],
    [['nameTemplate', '{shot}_{}'], 'has a field without a name'],
  ])('refuses %j and writes nothing', async (args, problem) => {
    const scene = new CliScene();
    expect(await scene.refuses('config', 'set', ...args)).toContain(problem);
    expect(existsSync(scene.path('data', 'settings.json'))).toBe(false);
  });

  it('keeps what a newer release wrote, and says so when a file is broken', async () => {
    const scene = new CliScene();
    mkdirSync(scene.dataFolder);
    const file = scene.path('data', 'settings.json');
    writeFileSync(file, '{"fromTheFuture": {"x": 1}, "concurrency": {"poll": 3}}');
    await scene.run('config', 'set', 'concurrency.submit', '2');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      fromTheFuture: { x: 1 },
      concurrency: { poll: 3, submit: 2 },
    });
    writeFileSync(file, '{"concurrency": ');
    expect(await scene.refuses('config', 'get')).toContain(file);
  });

  it('lets --base-url and the environment go before the file', async () => {
    const scene = new CliScene();
    await scene.run('config', 'set', 'base-url', 'https://file.example');
    scene.env['DAILIES_BASE_URL'] = 'https://variable.example';
    expect(await scene.says('config', 'get', 'base-url')).toBe('https://variable.example\n');
    await scene.run('config', 'get', 'base-url', '--base-url', 'https://option.example');
    expect(scene.stdout.text).toBe('https://option.example\n');
  });
});

async function deskWithAddress(): Promise<CliScene> {
  const scene = new CliScene();
  await scene.run('config', 'set', 'base-url', 'https://service.example');
  return scene;
}

describe('the key', () => {
  it('goes to the keychain from standard input, and is never shown', async () => {
    const scene = await deskWithAddress();
    scene.stdin = typed('sk-', 'secret\n');
    expect(await scene.run('config', 'set', 'api-key')).toBe(0);
    expect(scene.keychain.secret).toContain('sk-secret');
    expect(existsSync(scene.path('data', 'api-key'))).toBe(false);
    const said = scene.said;
    expect(await scene.says('config', 'get', 'api-key')).toBe('set, in the system keychain\n');
    await scene.run('config', 'get');
    expect(said + scene.said).not.toContain('sk-secret');
  });

  it('is asked for, unseen, at a terminal', async () => {
    const scene = await deskWithAddress();
    Object.assign(scene, { stdout: Object.assign(scene.stdout, { isTTY: true }), stdin: { ...typed(), isTTY: true } });
    scene.questions = { ...scene.questions, secret: () => Promise.resolve('sk-typed') };
    expect(await scene.run('config', 'set', 'api-key')).toBe(0);
    expect(scene.keychain.secret).toContain('sk-typed');
  });

  it('is refused as an argument, and not repeated', async () => {
    const scene = new CliScene();
    expect(await scene.refuses('config', 'set', 'api-key', 'sk-secret')).toContain('cannot be given as an argument');
    expect(scene.said).not.toContain('sk-secret');
    expect(scene.keychain.secret).toBeNull();
  });

  it('lies in a file of mode 600 only where there is no keychain and the person agrees', async () => {
    const scene = await deskWithAddress();
    scene.parts = { keychain: () => Promise.resolve(new FakeKeychain(false)) };
    scene.stdin = typed('sk-secret');
    expect(await scene.refuses('config', 'set', 'api-key')).toContain('--allow-file');
    expect(scene.stderr.text).not.toContain('no secret service');
    expect(existsSync(scene.path('data', 'api-key'))).toBe(false);
    scene.stdin = typed('sk-secret');
    expect(await scene.run('config', 'set', 'api-key', '--allow-file')).toBe(0);
    expect(statSync(scene.path('data', 'api-key')).mode & 0o777).toBe(0o600);
    expect(await scene.says('config', 'get', 'api-key')).toContain(scene.path('data', 'api-key'));
    expect(await scene.run('config', 'set', 'api-key', '--default')).toBe(0);
    expect(existsSync(scene.path('data', 'api-key'))).toBe(false);
  });

  it('goes to the address it was set for and to no other', async () => {
    const scene = new CliScene();
    await scene.run('config', 'set', 'base-url', 'https://service.example');
    scene.stdin = typed('sk-secret');
    await scene.run('config', 'set', 'api-key');
    expect(await scene.run('models', '--base-url', 'https://elsewhere.example')).toBe(2);
    expect(scene.stderr.text).toContain('set for https://service.example, not for https://elsewhere.example');
    expect(scene.said).not.toContain('sk-secret');
    scene.stdin = typed('sk-other');
    await scene.run('config', 'set', 'base-url', 'https://elsewhere.example');
    await scene.run('config', 'set', 'api-key');
    expect(await scene.run('models', '--base-url', 'https://service.example')).toBe(2);
  });

  it('names its address in the keychain itself, so that a fresh data folder never sends it to another', async () => {
    const scene = await deskWithAddress();
    scene.stdin = typed('sk-secret');
    await scene.run('config', 'set', 'api-key');
    const fresh = new CliScene();
    fresh.keychain.secret = scene.keychain.secret;
    expect(await fresh.run('models', '--base-url', 'https://elsewhere.example')).toBe(2);
    expect(fresh.stderr.text).toContain('set for https://service.example, not for https://elsewhere.example');
    expect(await fresh.says('config', 'get', 'api-key')).toBe('set, in the system keychain\n');
  });

  it('is not kept while there is no address that it could be for', async () => {
    const scene = new CliScene();
    scene.stdin = typed('sk-secret');
    expect(await scene.refuses('config', 'set', 'api-key')).toContain('no service address is set');
    expect(scene.keychain.secret).toBeNull();
  });

  it('that names no address is not used at all', async () => {
    const scene = await deskWithAddress();
    scene.keychain.secret = 'sk-plain';
    expect(await scene.refuses('models', '--base-url', 'https://elsewhere.example')).toContain('No key');
  });

  it('is warned of when the way to its address is not encrypted', async () => {
    const scene = new CliScene();
    expect(await scene.says('config', 'set', 'base-url', 'http://media.example.com')).toContain('not encrypted');
    scene.stdin = typed('sk-secret');
    expect(await scene.says('config', 'set', 'api-key')).toContain('not encrypted');
    await scene.run('config', 'set', 'base-url', 'http://127.0.0.1:8080');
    expect(scene.said).not.toContain('not encrypted');
  });

  it.runIf(process.platform !== 'win32')('is not used from a file that others can read', async () => {
    const scene = new CliScene();
    mkdirSync(scene.dataFolder);
    const file = scene.path('data', 'api-key');
    writeFileSync(file, 'sk-secret', { mode: 0o600 });
    chmodSync(file, 0o640);
    expect(await scene.refuses('config', 'get', 'api-key')).toContain(`chmod 600 ${file}`);
    expect(scene.said).not.toContain('sk-secret');
  });

  it('comes from the variable first, then the keychain, then the file', async () => {
    const scene = new CliScene();
    const where = async () => {
      await scene.run('config', 'get', 'api-key');
      return scene.stdout.text;
    };
    const address = 'https://service.example';
    await scene.run('config', 'set', 'base-url', address);
    writeFileSync(scene.path('data', 'api-key'), keptText('sk-file', address), { mode: 0o600 });
    expect(await where()).toContain('data/api-key');
    scene.keychain.secret = keptText('sk-chain', address);
    expect(await where()).toContain('keychain');
    scene.env['DAILIES_API_KEY'] = 'sk-variable';
    expect(await where()).toContain('DAILIES_API_KEY');
  });

  it('with a line break in it is refused without being repeated', async () => {
    const scene = new CliScene();
    scene.env['DAILIES_API_KEY'] = 'sk-one\nsk-two';
    expect(await scene.run('config', 'get', 'api-key')).toBe(2);
    expect(scene.said).not.toContain('sk-');
  });
});
