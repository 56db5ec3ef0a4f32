import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Desk, FakeKeychain, typed } from './support.ts';

describe('config', () => {
  it('keeps settings, by dotted names and in any spelling', async () => {
    const desk = new Desk();
    expect(await desk.run('config', 'set', 'base-url', 'https://media.example/gateway/v1/')).toBe(0);
    expect(await desk.run('config', 'set', 'concurrency.submit', '9')).toBe(0);
    expect(await desk.run('config', 'get', 'baseUrl')).toBe(0);
    expect(desk.stdout.text).toBe('https://media.example/gateway\n');
    await desk.run('config', 'get');
    expect(desk.stdout.lines).toContain('concurrency.submit = 9');
    expect(desk.stdout.lines).toContain('concurrency.poll = 16');
    expect(desk.stdout.lines).toContain('apiKey: not set');
    expect(await desk.run('config', 'set', 'concurrency.submit', '--default')).toBe(0);
    expect(desk.stdout.text).toBe('concurrency.submit = 4\n');
  });

  it('takes lists as JSON', async () => {
    const desk = new Desk();
    const prices = '[{"model":"vgen-*","per":"second","price":0.2}]';
    expect(await desk.run('config', 'set', 'prices', prices)).toBe(0);
    await desk.run('config', 'get', 'prices');
    expect(desk.stdout.text).toBe(`${prices}\n`);
  });

  it('takes yes and no in several words', async () => {
    const desk = new Desk();
    for (const [word, kept] of [
      ['yes', 'true'],
      ['OFF', 'false'],
      ['true', 'true'],
    ] as const) {
      await desk.run('config', 'set', 'keep-running', word);
      desk.stdout.text = '';
      await desk.run('config', 'get', 'keep-running');
      expect(desk.stdout.text).toBe(`${kept}\n`);
    }
  });

  it('takes folders by their whole paths, and goes back to none', async () => {
    const desk = new Desk();
    expect(await desk.run('config', 'set', 'projects-folder', desk.path('films'))).toBe(0);
    expect(desk.stdout.text).toBe(`projectsFolder = ${desk.path('films')}\n`);
    expect(statSync(desk.path('films')).isDirectory()).toBe(true);
    await desk.run('config', 'set', 'projects-folder', '--default');
    expect(desk.stdout.text).toBe('projectsFolder = \n');
  });

  it('warns of names that are the same for many shots, and keeps them', async () => {
    const desk = new Desk();
    expect(await desk.run('config', 'set', 'nameTemplate', '{model}_t{take}')).toBe(0);
    expect(desk.stdout.text).toContain('Many shots get the same file name');
  });

  it('says how to put it right in the data folder that was given', async () => {
    const desk = new Desk();
    expect(await desk.run('--data', 'other', 'config', 'set', 'concurrency.submit', '0')).toBe(2);
    expect(desk.stderr.text).toContain('`dailies --data other config set NAME VALUE`');
    await desk.run('--data', 'other', 'status');
    expect(desk.stdout.text).toContain('`dailies --data other demo`');
  });

  it.each([
    [['prices', 'cheap'], 'is written as JSON'],
    [['prices', '[{"model":"x"}]'], 'prices'],
    [['concurrency.submit', 'many'], 'is a number'],
    [['concurrency.submit', '0'], 'concurrency.submit must be more than 0.'],
    [['nameTemplate', ''], 'nameTemplate must not be empty.'],
    [['currency', 'x'.repeat(21)], 'currency may have 20 characters at most.'],
    [['paths.musicSubmit', 'tasks'], 'paths.musicSubmit must begin with /.'],
    [['paths.musicTask', '/tasks'], 'paths.musicTask must contain {task_id}.'],
    [['keepRunning', 'perhaps'], 'true or false'],
    [['selectsFolder', 'selects'], 'not the full path of a folder'],
    [['submitTimeoutSeconds', '5'], 'submitTimeoutSeconds must be at least 60.'],
    [['base-url', 'ftp://host'], 'https://'],
    [['base-url', 'https://user:pass@host'], 'user name'],
    [['concurency.submit', '4'], 'no setting called'],
    [['baseUrl'], 'one new value'],
    [['appearance', 'blue'], 'appearance is one of dark, light, system, not "blue".'],
    [['nameTemplate', '{x'], 'The name {x has a brace that is not closed'],
    [['nameTemplate', 'x}'], 'has a brace that is not opened'],
    [['nameTemplate', '{shot}_{}'], 'has a field without a name'],
  ])('refuses %j and writes nothing', async (args, problem) => {
    const desk = new Desk();
    expect(await desk.run('config', 'set', ...args)).toBe(2);
    expect(desk.stderr.text).toContain(problem);
    expect(existsSync(desk.path('data', 'settings.json'))).toBe(false);
  });

  it('keeps what a newer release wrote, and says so when a file is broken', async () => {
    const desk = new Desk();
    mkdirSync(desk.dataFolder);
    const file = desk.path('data', 'settings.json');
    writeFileSync(file, '{"fromTheFuture": {"x": 1}, "concurrency": {"poll": 3}}');
    await desk.run('config', 'set', 'concurrency.submit', '2');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      fromTheFuture: { x: 1 },
      concurrency: { poll: 3, submit: 2 },
    });
    writeFileSync(file, '{"concurrency": ');
    expect(await desk.run('config', 'get')).toBe(2);
    expect(desk.stderr.text).toContain(file);
  });

  it('lets --base-url and the environment go before the file', async () => {
    const desk = new Desk();
    await desk.run('config', 'set', 'base-url', 'https://file.example');
    desk.env['DAILIES_BASE_URL'] = 'https://variable.example';
    await desk.run('config', 'get', 'base-url');
    expect(desk.stdout.text).toBe('https://variable.example\n');
    await desk.run('config', 'get', 'base-url', '--base-url', 'https://option.example');
    expect(desk.stdout.text).toBe('https://option.example\n');
  });
});

async function deskWithAddress(): Promise<Desk> {
  const desk = new Desk();
  await desk.run('config', 'set', 'base-url', 'https://service.example');
  return desk;
}

describe('the key', () => {
  it('goes to the keychain from standard input, and is never shown', async () => {
    const desk = await deskWithAddress();
    desk.stdin = typed('sk-', 'secret\n');
    expect(await desk.run('config', 'set', 'api-key')).toBe(0);
    expect(desk.keychain.secret).toContain('sk-secret');
    expect(existsSync(desk.path('data', 'api-key'))).toBe(false);
    const said = desk.said;
    await desk.run('config', 'get', 'api-key');
    expect(desk.stdout.text).toBe('set, in the system keychain\n');
    await desk.run('config', 'get');
    expect(said + desk.said).not.toContain('sk-secret');
  });

  it('is asked for, unseen, at a terminal', async () => {
    const desk = await deskWithAddress();
    Object.assign(desk, { stdout: Object.assign(desk.stdout, { isTTY: true }), stdin: { ...typed(), isTTY: true } });
    desk.questions = { ...desk.questions, secret: () => Promise.resolve('sk-typed') };
    expect(await desk.run('config', 'set', 'api-key')).toBe(0);
    expect(desk.keychain.secret).toContain('sk-typed');
  });

  it('is refused as an argument, and not repeated', async () => {
    const desk = new Desk();
    expect(await desk.run('config', 'set', 'api-key', 'sk-secret')).toBe(2);
    expect(desk.stderr.text).toContain('never taken from an argument');
    expect(desk.said).not.toContain('sk-secret');
    expect(desk.keychain.secret).toBeNull();
  });

  it('lies in a file of mode 600 only where there is no keychain and the person agrees', async () => {
    const desk = await deskWithAddress();
    desk.parts = { keychain: () => Promise.resolve(new FakeKeychain(false)) };
    desk.stdin = typed('sk-secret');
    expect(await desk.run('config', 'set', 'api-key')).toBe(2);
    expect(desk.stderr.text).toContain('--allow-file');
    expect(desk.stderr.text).not.toContain('no secret service');
    expect(existsSync(desk.path('data', 'api-key'))).toBe(false);
    desk.stdin = typed('sk-secret');
    expect(await desk.run('config', 'set', 'api-key', '--allow-file')).toBe(0);
    expect(statSync(desk.path('data', 'api-key')).mode & 0o777).toBe(0o600);
    await desk.run('config', 'get', 'api-key');
    expect(desk.stdout.text).toContain(desk.path('data', 'api-key'));
    expect(await desk.run('config', 'set', 'api-key', '--default')).toBe(0);
    expect(existsSync(desk.path('data', 'api-key'))).toBe(false);
  });

  it('goes to the address it was set for and to no other', async () => {
    const desk = new Desk();
    await desk.run('config', 'set', 'base-url', 'https://service.example');
    desk.stdin = typed('sk-secret');
    await desk.run('config', 'set', 'api-key');
    expect(await desk.run('models', '--base-url', 'https://elsewhere.example')).toBe(2);
    expect(desk.stderr.text).toContain('set for https://service.example, not for https://elsewhere.example');
    expect(desk.said).not.toContain('sk-secret');
    desk.stdin = typed('sk-other');
    await desk.run('config', 'set', 'base-url', 'https://elsewhere.example');
    await desk.run('config', 'set', 'api-key');
    expect(await desk.run('models', '--base-url', 'https://service.example')).toBe(2);
  });

  it('names its address in the keychain itself, so that a fresh data folder never sends it to another', async () => {
    const desk = await deskWithAddress();
    desk.stdin = typed('sk-secret');
    await desk.run('config', 'set', 'api-key');
    const fresh = new Desk();
    fresh.keychain.secret = desk.keychain.secret;
    expect(await fresh.run('models', '--base-url', 'https://elsewhere.example')).toBe(2);
    expect(fresh.stderr.text).toContain('set for https://service.example, not for https://elsewhere.example');
    await fresh.run('config', 'get', 'api-key');
    expect(fresh.stdout.text).toBe('set, in the system keychain\n');
  });

  it('is not kept while there is no address that it could be for', async () => {
    const desk = new Desk();
    desk.stdin = typed('sk-secret');
    expect(await desk.run('config', 'set', 'api-key')).toBe(2);
    expect(desk.stderr.text).toContain('no service address is set');
    expect(desk.keychain.secret).toBeNull();
  });

  it.each([
    ['noted for it', 'https://noted.example\n', 'https://noted.example'],
    ['in the settings', null, 'https://service.example'],
  ])('of an earlier release goes to the address %s alone', async (_where, note, address) => {
    const desk = await deskWithAddress();
    desk.keychain.secret = 'sk-plain';
    if (note !== null) writeFileSync(desk.path('data', 'api-key-address'), note);
    expect(await desk.run('models', '--base-url', 'https://elsewhere.example')).toBe(2);
    expect(desk.stderr.text).toContain(`set for ${address}, not for https://elsewhere.example`);
    desk.stdin = typed('sk-new');
    await desk.run('config', 'set', 'api-key');
    expect(existsSync(desk.path('data', 'api-key-address'))).toBe(false);
  });

  it('of an earlier release is not used at all in a data folder without an address', async () => {
    const desk = new Desk();
    desk.keychain.secret = 'sk-plain';
    expect(await desk.run('models', '--base-url', 'https://elsewhere.example')).toBe(2);
    expect(desk.stderr.text).toContain('No key');
  });

  it('is warned of when the way to its address is not encrypted', async () => {
    const desk = new Desk();
    await desk.run('config', 'set', 'base-url', 'http://media.example.com');
    expect(desk.stdout.text).toContain('not encrypted');
    desk.stdin = typed('sk-secret');
    await desk.run('config', 'set', 'api-key');
    expect(desk.stdout.text).toContain('not encrypted');
    await desk.run('config', 'set', 'base-url', 'http://127.0.0.1:8080');
    expect(desk.said).not.toContain('not encrypted');
  });

  it.runIf(process.platform !== 'win32')('is not used from a file that others can read', async () => {
    const desk = new Desk();
    mkdirSync(desk.dataFolder);
    const file = desk.path('data', 'api-key');
    writeFileSync(file, 'sk-secret', { mode: 0o600 });
    chmodSync(file, 0o640);
    expect(await desk.run('config', 'get', 'api-key')).toBe(2);
    expect(desk.stderr.text).toContain(`chmod 600 ${file}`);
    expect(desk.said).not.toContain('sk-secret');
  });

  it('comes from the variable first, then the keychain, then the file', async () => {
    const desk = new Desk();
    const where = async () => {
      await desk.run('config', 'get', 'api-key');
      return desk.stdout.text;
    };
    await desk.run('config', 'set', 'base-url', 'https://service.example');
    writeFileSync(desk.path('data', 'api-key'), 'sk-file', { mode: 0o600 });
    expect(await where()).toContain('data/api-key');
    desk.keychain.secret = 'sk-chain';
    expect(await where()).toContain('keychain');
    desk.env['DAILIES_API_KEY'] = 'sk-variable';
    expect(await where()).toContain('DAILIES_API_KEY');
  });

  it('with a line break in it is refused without being repeated', async () => {
    const desk = new Desk();
    desk.env['DAILIES_API_KEY'] = 'sk-one\nsk-two';
    expect(await desk.run('config', 'get', 'api-key')).toBe(2);
    expect(desk.said).not.toContain('sk-');
  });
});
