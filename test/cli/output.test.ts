import { messageFor } from '../../src/contract/messages/message.ts';
import { t } from '../../src/contract/messages/words.ts';
import { withGlobals } from '../../src/cli/session.ts';
import { PeopleReporter } from '../../src/cli/output/people.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NdjsonReporter, RunTally } from '../../src/cli/output/reporter.ts';
import { nextStep, troubleLines } from '../../src/cli/output/report.ts';
import { displayWidth, duration, jsonLine, plainText, tableLines, styleFor } from '../../src/cli/output/text.ts';
import { defectLine, defectLines, remedyHere } from '../../src/cli/output/words.ts';
import type { Gate } from '../../src/contract/events.ts';
import type { Failure } from '../../src/contract/failure.ts';
import type { JobView } from '../../src/contract/job.ts';
import type { Defect } from '../../src/contract/shot.ts';
import { bytesForPeople } from '../../src/contract/units.ts';
import { aJob, Page } from './support.ts';
import { commandHere, pasteable } from '../../src/cli/process-shell.ts';

const tooLong: Defect = {
  severity: 'error',
  row: 12,
  column: 'duration',
  value: '40',
  problem: 'The model generates videos of 4 to 15 s.',
  remedy: 'Write a value from 4 to 15.',
};
const throttled: Gate = { reason: 'throttled', message: 'The service asked to wait.', until: 60_000 };
const idle = { prepare: 0, submit: 0, poll: 0, download: 0 };
const failure = (facts: Partial<Failure>): Failure => ({
  code: 'x',
  message: 'It broke.',
  remedy: 'Fix it.',
  cost: 'nothing',
  at: 0,
  ...facts,
});
const jobs = (count: number): JobView[] =>
  Array.from({ length: count }, (_, index) => ({ ...aJob, id: `job-${index}`, shot: `00${index}` }));

describe('text from elsewhere', () => {
  it('has nothing left in it that a terminal would obey', () => {
    expect(plainText('a\u001B[31mred\u001B[0m \u0007bell\u009B2J \u202Eesrever\nnext')).toBe('ared bell esrever next');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(plainText(text)).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      }),
      { numRuns: 40 },
    );
  });

  it('is escaped in JSON too, and reads back the same', () => {
    const value = { prompt: 'a\u001B[2J\u009B31m\u007F\u2028' };
    const line = jsonLine(value);
    expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(JSON.parse(line)).toEqual(value);
  });
});

describe('figures', () => {
  it('reads as people write them', () => {
    expect([7_000, 759_600, 11_109_000].map(duration)).toEqual(['0:07', '12:40', '3:05:09']);
    expect([980, 4_204_019, 300 * 1000 ** 3].map(bytesForPeople)).toEqual(['980 B', '4.2 MB', '300 GB']);
  });

  it('keeps columns in line under wide characters', () => {
    const lines = tableLines(
      [{ title: 'shot' }, { title: 'n', align: 'right' }],
      [
        ['灯台', '1'],
        ['door', '10'],
      ],
    );
    expect(lines).toEqual(['shot   n', '灯台   1', 'door  10']);
    expect(displayWidth('灯台🎬a')).toBe(7);
  });
});

describe('defects', () => {
  it('are placed by row, column and value, with the remedy', () => {
    expect(defectLine(tooLong)).toBe(
      'row 12, column duration (value “40”): The model generates videos of 4 to 15 s. Write a value from 4 to 15.',
    );
  });

  it('are shown up to fifty, with a count of the others', () => {
    const lines = defectLines(Array.from({ length: 1234 }, () => tooLong));
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toContain('1,184 more');
  });
});

describe('trouble', () => {
  const told = (job: Partial<JobView>) => troubleLines({ ...aJob, ...job }, { data: '/my data' }).join('\n');

  it('of unknown fate offers all three decisions, with the command to type', () => {
    const lines = told({ state: 'submit_unknown', standing: 'unknown', failure: failure({ cost: 'maybe' }) });
    expect(lines).toContain('007 take 1: It broke. It may have been charged.');
    for (const decision of ['--attach TASK', '--lost', '--resubmit']) {
      expect(lines).toContain(`dailies --data '/my data' jobs resolve 2979fe09 ${decision}`);
    }
    expect(lines).toContain('second charge is possible');
  });

  it('of unknown fate names the answer that was kept, and what can be done with it', () => {
    const keptAnswer = { file: '/data/answers/a1.answer', addresses: ['https://cdn.example/1.png'] };
    const lines = told({
      state: 'submit_unknown',
      standing: 'unknown',
      failure: failure({ cost: 'maybe' }),
      keptAnswer,
    });
    for (const part of [keptAnswer.file, 'https://cdn.example/1.png', '--accept ADDRESS`', '--accept`']) {
      expect(lines).toContain(part);
    }
  });

  it('of a task without a result that can be read names its answer too, and how to wait for it', () => {
    const late = {
      state: 'polling',
      standing: 'unknown',
      paused: 'deadline',
      failure: failure({ cost: 'charged' }),
    } as const;
    const keptAnswer = { file: '/data/answers/a1.answer', addresses: ['https://cdn.example/1.png'] };
    const lines = told({ ...late, keptAnswer });
    for (const part of [keptAnswer.file, 'https://cdn.example/1.png', '--accept ADDRESS`', 'jobs retry', 'jobs cancel'])
      expect(lines).toContain(part);
    expect(told(late)).toContain('--accept ADDRESS`');
    expect(told(late)).not.toContain('The answer is kept');
  });

  it('of unknown fate has one line for each decision', () => {
    const lines = told({ state: 'submit_unknown', standing: 'unknown', failure: failure({ cost: 'maybe' }) });
    const commands = lines.split('\n').map((line) => line.match(/dailies /g)?.length ?? 0);
    expect(commands).toEqual([0, 0, 1, 1, 1]);
  });

  it('says what it cost, once', () => {
    const lines = told({ state: 'rejected', failure: failure({}) });
    expect(lines.match(/Nothing was charged\./g)).toHaveLength(1);
  });

  it('says which retries are free and which are not', () => {
    const step = (state: string) => nextStep({ ...aJob, state }, {});
    expect(step('download_blocked')).toContain('at no charge: `dailies jobs retry 2979fe09`');
    expect(step('remote_failed')).toContain('at a new charge: `dailies jobs retry 2979fe09`');
    expect(nextStep({ ...aJob, paused: 'deadline' }, {})).toContain('keep waiting');
    const saysAll = { ...aJob, state: 'rejected', failure: failure({ remedy: '' }) } as const;
    expect(nextStep(saysAll, {})).toBe('To send it again: `dailies jobs retry 2979fe09`');
  });
});

describe('NDJSON', () => {
  it('ends with a summary of exactly these keys', () => {
    const page = new Page();
    new NdjsonReporter(page).summary({ unfinished: 5, saved: 1, failed: 2, unknown: 3, cancelled: 4, waiting: 2 });
    expect(page.text).toBe(
      '{"type":"summary","saved":1,"failed":2,"unknown":3,"cancelled":4,"unfinished":5,"waiting":2}\n',
    );
  });

  it('tells gates when they change and not otherwise', () => {
    const page = new Page();
    const reporter = new NdjsonReporter(page);
    reporter.queue({ underWay: idle, gates: [throttled] });
    reporter.queue({ underWay: { ...idle, poll: 1 }, gates: [throttled] });
    reporter.queue({ underWay: idle, gates: [] });
    expect(page.objects).toEqual([
      { type: 'gates', gates: [throttled] },
      { type: 'gates', gates: [] },
    ]);
  });
});

describe('plain lines', () => {
  const plain = (page: Page) => new PeopleReporter(page, styleFor(page, {}), false);

  it('say each settled take and each new reason to wait', () => {
    const page = new Page();
    const reporter = plain(page);
    reporter.job({ ...aJob, state: 'saved', standing: 'saved', files: ['night/007_t1.mp4'] }, true);
    reporter.job(aJob, false);
    reporter.queue({ underWay: idle, gates: [throttled] });
    reporter.queue({ underWay: idle, gates: [{ ...throttled, until: 90_000 }] });
    reporter.queue({ underWay: idle, gates: [] });
    expect(page.lines).toEqual([
      'saved    007 take 1: night/007_t1.mp4',
      expect.stringMatching(/^waiting until \d\d:\d\d:\d\d: The service asked to wait\.$/),
      t('cli.goingOn'),
    ]);
  });

  it('show a sign of life after thirty silent seconds', () => {
    const page = new Page();
    const reporter = plain(page);
    reporter.begin(new RunTally(jobs(3)), 0);
    for (let second = 1; second <= 65; second += 1) reporter.tick(second * 1000);
    expect(page.lines).toEqual(['… 0 saved, 3 unfinished; 3 generating', '… 0 saved, 3 unfinished; 3 generating']);
  });
});

describe('the live view', () => {
  const screen = (count: number) => {
    const page = new Page(true);
    const tally = new RunTally(jobs(count));
    const reporter = new PeopleReporter(page, styleFor(page, { NO_COLOR: '1' }), true);
    reporter.begin(tally, 0);
    return { page, reporter };
  };

  it('leaves nothing of itself behind, and no colour under NO_COLOR', () => {
    const { page, reporter } = screen(3);
    reporter.tick(100);
    reporter.end();
    expect(page.text.endsWith('\r\u001B[K')).toBe(true);
    expect(page.text).not.toContain('\u001B[2m');
  });
});

describe('hints', () => {
  const written = (env: Record<string, string>, text: string) => {
    const lines: string[] = [];
    pasteable({ write: (line) => lines.push(line) }, commandHere(env)).write(text);
    return lines.join('');
  };
  const checkout = { npm_lifecycle_event: 'dailies', npm_package_name: 'dailies' };

  it('can be pasted as they stand, from a checkout as from an installation', () => {
    expect(written({}, 'Go on with `dailies resume`.\n')).toBe('Go on with `dailies resume`.\n');
    expect(written(checkout, 'Go on with `dailies --data /x resume`.\n')).toBe(
      'Go on with `npm run --silent dailies -- --data /x resume`.\n',
    );
    expect(written(checkout, 'Or `dailies COMMAND --help`.\n')).toBe(
      'Or `npm run --silent dailies -- COMMAND --help`.\n',
    );
    expect(written(checkout, 'Then:\n  dailies run LIST\n')).toBe('Then:\n  npm run --silent dailies -- run LIST\n');
  });

  it('go to the data folder that was given, for what the engine only describes too', () => {
    const refused = { ...aJob, state: 'rejected', failure: failure({ code: 'key_missing' }) } as const;
    expect(nextStep(refused, { data: '/my data' })).toContain("`dailies --data '/my data' config set api-key`");
    expect(withGlobals({}, 'Run `dailies doctor`.')).toBe('Run `dailies doctor`.');
    expect(withGlobals({ data: 'd' }, 'Run `dailies --data d doctor`.')).toBe('Run `dailies --data d doctor`.');
  });

  it('are left alone in the scripts of another project, and where no command is meant', () => {
    const foreign = { npm_lifecycle_event: 'render', npm_package_name: 'film' };
    expect(written(foreign, '`dailies status`')).toBe('`dailies status`');
    expect(written(checkout, 'The dailies of Tuesday, dailies/a.mp4')).toBe('The dailies of Tuesday, dailies/a.mp4');
  });

  it('name the command for what the engine only describes', () => {
    expect(remedyHere({ code: 'key_missing', remedy: 'Set the key.' })).toContain('`dailies config set api-key`');
    expect(remedyHere({ code: 'x', remedy: messageFor('remedy.setKey') })).toContain('`dailies config set api-key`');
    expect(remedyHere({ code: 'x', remedy: messageFor('remedy.addCredit') })).toContain('`dailies resume`');
    expect(remedyHere({ code: 'http_400', remedy: 'Correct the row.' })).toBe('Correct the row.');
  });
});
