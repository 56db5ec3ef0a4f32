import { commandLine } from '../../src/cli/session.ts';
import Database from 'better-sqlite3';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statusFor } from '../../src/cli/exit.ts';
import { jobNamed } from '../../src/cli/look.ts';
import { processShell } from '../../src/cli/process-shell.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { settingNames } from '../../src/host/settings-file.ts';
import { JobState, Standing } from '../../src/contract/job.ts';
import { messageFor } from '../../src/contract/messages/message.ts';
import { t, sayText, setLanguage } from '../../src/contract/messages/words.ts';
import { Kind } from '../../src/contract/kinds/kind.ts';
import { withVerbs } from '../../scripts/verbs.ts';
import { aJob, CliScene } from './support.ts';

const noCounts = { saved: 0, failed: 0, unknown: 0, cancelled: 0, unfinished: 0, waiting: 0 };

async function commandsOf(scene: CliScene): Promise<Command[]> {
  const withChildren = (command: Command): Command[] => [command, ...command.commands.flatMap(withChildren)];
  return withChildren(await buildProgram(() => () => Promise.resolve(), scene.shell()));
}

const choicesOf = async (scene: CliScene, flag: string) =>
  (await commandsOf(scene)).flatMap((command) =>
    command.options.filter(({ long, argChoices }) => long === flag && argChoices).map(({ argChoices }) => argChoices),
  );

it.each([
  ['all saved', { saved: 3 }, null, 0],
  ['what the person cancelled is no failure', { saved: 3, cancelled: 1 }, null, 0],
  ['some failed', { saved: 3, failed: 1 }, null, 3],
  ['the queue stopped by itself', { unfinished: 3 }, 'key_refused', 3],
  ['something is held back', { saved: 1, unfinished: 1 }, null, 3],
  ['a cap holds back what is left', { saved: 1, unfinished: 2 }, 'cap_reached', 5],
  ['rows wait for a person, whatever failed', { failed: 1, unfinished: 1, waiting: 1 }, null, 5],
  ['a decision wins over failures', { failed: 1, unknown: 1 }, 'cap_reached', 4],
] as const)('exit statuses %s', (_name, counts, halted, status) => {
  const gate = halted && { reason: halted, message: '', until: null };
  expect(statusFor({ ...noCounts, ...counts }, gate)).toBe(status);
});

describe('a command line', () => {
  it.each([
    [['runn'], 'Did you mean run?'],
    [['run', 'list.csv', '--project', 'film', '--dry-rum'], 'Did you mean --dry-run?'],
    [['run', 'list.csv'], '--project'],
    [['run', 'list.csv', '--project', 'film', '--kind', 'opera'], 'Allowed: video, image, music, text'],
    [['demo', '--shots', '0'], 'whole number from 1'],
    [['service', '--port', '70000'], 'up to 65535'],
    [['jobs', 'resolve', 'abcd1234', '--lost', '--resubmit'], 'cannot be used with'],
    [[], 'Usage: dailies'],
  ])('that is wrong (%j) ends with 2 and says what is right', async (args, hint) => {
    const scene = new CliScene();
    expect(await scene.refuses(...args)).toContain(hint);
    expect(scene.stdout.text).toBe('');
  });

  it.each([
    [['runn'], '未知命令 runn。\n是否指 run？'],
    [['run', 'list.csv', '--project', 'film', '--dry-rum'], '未知选项 --dry-rum。\n是否指 --dry-run？'],
    [['run', 'list.csv'], '必须给出 --project <dir>。'],
    [['run', '--project', 'film'], '必须给出 LIST。'],
    [['run', 'list.csv', '--project'], '选项 --project <dir> 需要一个值。'],
    [['run', 'list.csv', 'more', '--project', 'film'], '参数过多。'],
    [['--lang', 'fr', 'status'], '--lang <language> 不接受“fr”。允许的值：'],
    [['jobs', 'resolve', 'abcd1234', '--lost', '--resubmit'], '不能与'],
    [['help', 'serve'], '用法：'],
    [['help', 'run'], '（可选值：video,'],
  ])('speaks Chinese throughout: %j', async (args, words) => {
    const scene = new CliScene();
    scene.env['LANG'] = 'zh_CN.UTF-8';
    await scene.run(...args);
    await setLanguage('en');
    const told = scene.stderr.text + scene.stdout.text;
    expect(told).toContain(words);
    expect(told).not.toMatch(/error:|Usage|Options:|default:|choices:|Did you mean|\[options\]/);
  });

  it('says why a Node.js of another processor cannot run the one of an app', async () => {
    const scene = new CliScene();
    scene.parts = { processor: 'x64', builtFor: () => ['arm64'] };
    expect(await scene.refuses('status')).toBe(
      'This Dailies is built for arm64 processors, but Node.js for x64 runs it. ' +
        'Install Node.js for arm64 from nodejs.org, or set DAILIES_NODE to one.\n',
    );
    scene.parts = { processor: 'arm64', builtFor: () => ['arm64'] };
    expect(await scene.run('status')).toBe(0);
  });

  it('knows the processors that its native libraries are built for', () => {
    expect(processShell().builtFor()).toEqual(expect.arrayContaining(['arm64', 'x64', process.arch]));
  });

  it.each(['SIGINT', 'SIGBREAK'] as const)('is asked to stop by %s, which is Ctrl-C or Ctrl-Break', (signal) => {
    const heard: string[] = [];
    const release = processShell().onInterrupt((each) => void heard.push(each));
    onTestFinished(release);
    process.emit(signal, signal);
    release();
    process.emit('SIGBREAK', 'SIGBREAK');
    expect(heard).toEqual([signal]);
  });

  it('answers --help and --version', async () => {
    const scene = new CliScene();
    expect(await scene.says('--help')).toContain('resume');
    expect(await scene.says('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    ['--lang before all else', ['--lang', 'zh-CN'], 'en', { LANG: 'en_GB.UTF-8' }, 'zh-CN'],
    ['--lang before the setting', ['--lang=en'], 'zh-CN', {}, 'en'],
    ['the setting before the system', [], 'zh-CN', { LC_ALL: 'en_US.UTF-8' }, 'zh-CN'],
    ['a setting of another data folder', ['--data', 'elsewhere'], 'zh-CN', {}, 'en'],
    ['LC_ALL before LC_MESSAGES', [], 'system', { LC_ALL: 'C', LC_MESSAGES: 'zh_CN.UTF-8' }, 'en'],
    ['LC_MESSAGES before LANG', [], 'system', { LC_ALL: '', LC_MESSAGES: 'zh_CN.UTF-8' }, 'zh-CN'],
    ['LANG', [], 'system', { LANG: 'zh_TW' }, 'zh-CN'],
    ['what it knows, where the setting is unknown', [], 'klingon', {}, 'en'],
  ] as const)('speaks the language of %s', async (_name, args, language, env, spoken) => {
    const scene = new CliScene();
    Object.assign(scene.env, env);
    mkdirSync(scene.dataFolder);
    writeFileSync(scene.path('data', 'settings.json'), JSON.stringify({ language }));
    expect(await scene.run(...args, '--help')).toBe(0);
    const help = scene.stdout.text.replace(/\s/g, '');
    await setLanguage(spoken);
    expect(help).toContain(t('cli.optLang').replace(/\s/g, ''));
    await setLanguage('en');
  });

  it('refuses a language that it has no words of', async () => {
    const scene = new CliScene();
    expect(await scene.refuses('--lang', 'de', 'status')).toContain('Allowed: en, zh-CN.');
  });

  it.each([[['--api-key', 'sk-secret']], [['run', 'x', '--project', 'y', '--key=sk-secret']]])(
    'never takes the key, nor repeats it (%j)',
    async (args) => {
      const scene = new CliScene();
      expect(await scene.refuses(...args)).toContain('cannot be given as an argument');
      expect(scene.said).not.toContain('sk-secret');
    },
  );

  it('knows the same words as the contract', async () => {
    const scene = new CliScene();
    for (const kinds of await choicesOf(scene, '--kind')) expect(kinds).toEqual(Kind.options);
    expect(await choicesOf(scene, '--standing')).toEqual([Standing.options]);
    expect(await choicesOf(scene, '--state')).toEqual([JobState.options.map((state) => state.shape.state.value)]);
  });

  it('that is told to a person can be pasted as it is', () => {
    expect(commandLine({ data: "/it's mine" }, 'jobs', 'retry', 'ab12')).toBe(
      String.raw`dailies --data '/it'\''s mine' jobs retry ab12`,
    );
  });
});

it('an internal error is one line and the place of the log, which has the stack', async () => {
  const scene = new CliScene();
  scene.parts = { startDemoService: () => Promise.reject(new TypeError('undefined is not a take')) };
  expect(await scene.run('service')).toBe(1);
  expect(scene.stderr.lines).toEqual([expect.stringContaining('Internal error: undefined is not a take.')]);
  const log = scene.path('data', 'logs', 'dailies.log');
  expect(scene.stderr.text).toContain(log);
  expect(readFileSync(log, 'utf8')).toContain('command-line.test.ts');
});

describe('an error of the system', () => {
  const codes = [
    'EROFS',
    'ENOSPC',
    'EDQUOT',
    'EACCES',
    'EPERM',
    'EMFILE',
    'ENFILE',
    'EBUSY',
    'EIO',
    'ENAMETOOLONG',
    'EFBIG',
  ];

  it.each(['en', 'zh-CN'])('is said in words, with the file and what to do (%s)', async (language) => {
    for (const code of codes) {
      const scene = new CliScene();
      const path = '/film/.dailies/project.json';
      const error = Object.assign(new Error(`${code}: words of the system, open '${path}'`), { code, path });
      scene.env['DAILIES_BASE_URL'] = 'http://127.0.0.1:1';
      scene.env['DAILIES_API_KEY'] = 'sk-any';
      scene.parts = { startEngine: () => Promise.reject(new Error('failed', { cause: error })) };
      expect(await scene.run('--lang', language, 'resume')).toBe(3);
      expect(scene.stderr.text).not.toContain('words of the system');
      const [problem = '', remedy = '', ...rest] = scene.stderr.lines;
      expect(problem).toMatch(new RegExp(`^${path}(: |：).+[(（]${code}[)）][.。]$`));
      expect({ remedy: remedy.length > 5, rest }).toEqual({ remedy: true, rest: [] });
    }
  });
});

it('a database that another program has locked is told in words, with what to do', async () => {
  const scene = new CliScene();
  scene.env['DAILIES_BASE_URL'] = 'http://127.0.0.1:1';
  scene.env['DAILIES_API_KEY'] = 'sk-any';
  scene.parts = { startEngine: () => Promise.reject(new Database.SqliteError('database is locked', 'SQLITE_BUSY')) };
  expect(await scene.run('resume')).toBe(3);
  expect(scene.stderr.lines).toEqual([
    'Another program has locked the database of Dailies (SQLITE_BUSY).',
    expect.stringContaining('repeat the action'),
  ]);
});

it('what no disk takes is said on standard error at once', async () => {
  const scene = new CliScene();
  scene.env['DAILIES_BASE_URL'] = 'http://127.0.0.1:1';
  scene.env['DAILIES_API_KEY'] = 'sk-any';
  const message = messageFor('failure.taskInMemory', { task: 'task_7', take: '1', shot: '0001' });
  scene.parts = {
    startEngine: ({ ports }) => {
      ports.sayAtOnce?.(message);
      return Promise.reject(new Error('it ended'));
    },
  };
  await scene.run('resume', '--json');
  expect(scene.stderr.text).toContain(sayText(message));
  expect(scene.stdout.text).not.toContain('task_7');
});

describe('a job id', () => {
  const ids = ['01a1f8c7-a8d6-71ae-b2d1-5fd82979fe09', '01a1f8c7-a8d6-71ae-b2d1-66e0abf44636'];
  const matching = (text: string) =>
    ids.filter((id) => id.startsWith(text) || id.endsWith(text)).map((id) => ({ ...aJob, id }));

  it('is any unique beginning or end', () => {
    expect(jobNamed('2979FE09', matching)).toMatchObject({ ok: true, job: { id: ids[0] } });
    expect(jobNamed('01a1f8c7-a8d6-71ae-b2d1-66', matching)).toMatchObject({ ok: true, job: { id: ids[1] } });
  });

  it.each([
    ['01a1f8c7', 'matches 2 jobs'],
    ['ffff', 'Job ffff was not found'],
    ['9', 'Job 9 was not found'],
    ['nonsense', 'Job nonsense was not found'],
  ])('that is not (%s) is told', (text, problem) => {
    expect(jobNamed(text, matching)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('docs/reference/cli.md', () => {
  const text = readFileSync(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');

  it('names every command and every option', async () => {
    const missing = (await commandsOf(new CliScene())).flatMap((command) => {
      const path = pathOf(command);
      const section = command.parent ? sectionOf(path) : text;
      return section === undefined
        ? [`dailies ${path}`]
        : command.options.filter(({ long }) => !section.includes(String(long))).map(({ long }) => `${path} ${long}`);
    });
    expect(missing).toEqual([]);
  });

  it('lists the verbs that there are; `npm run verbs` does', async () => {
    expect(await withVerbs(text)).toBe(text);
  });

  it('names every setting', () => {
    expect(settingNames.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it('names no option that does not exist', async () => {
    const known = new Set([
      '--help',
      '--silent',
      ...(await commandsOf(new CliScene())).flatMap(({ options }) => options.map(({ long }) => long)),
    ]);
    expect([...text.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag).filter((flag) => !known.has(flag))).toEqual([]);
  });

  /** The words of a command below `dailies`: `assets group create`. */
  function pathOf(command: Command): string {
    const above = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
    return above + command.name();
  }

  /** What stands below the heading of a command, up to the next heading; groups have none of their own. */
  function sectionOf(path: string): string | undefined {
    if (['jobs', 'projects', 'batches', 'config', 'assets', 'assets group'].includes(path))
      return text.includes(`dailies ${path} `) ? '' : undefined;
    const sections = text.split(/^#+ /m);
    const own = sections.find((section) => section.split('\n', 1)[0]?.includes(`\`dailies ${path}`));
    // Those of a group may share a table.
    return own ?? sections.find((section) => section.includes(`\n| \`${path}`));
  }
});
