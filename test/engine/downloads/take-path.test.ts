import { join, relative, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ShotSpec } from '../../../src/contract/shot.ts';
import { foldName } from '../../../src/engine/downloads/publish.ts';
import {
  outputNames,
  safeName,
  takeStem,
  templateProblem,
  templateWarning,
} from '../../../src/engine/downloads/take-path.ts';
import type { TakeNaming } from '../../../src/engine/downloads/take-path.ts';

const shot = (changes: Partial<ShotSpec> = {}): ShotSpec => ({
  key: '001',
  kind: 'video',
  model: 'vgen-2.0-cl',
  prompt: 'rain',
  takes: 1,
  params: {},
  extra: {},
  columns: { 'Scene No': '12A' },
  priority: 0,
  ...changes,
});

const naming = (changes: Partial<TakeNaming> = {}): TakeNaming => ({
  template: '{shot}_t{take}',
  shot: shot(),
  batch: 'Night run',
  take: 1,
  ...changes,
});

describe('the name of a take', () => {
  it('follows the template', () => {
    expect(takeStem(naming())).toBe('001_t1');
    expect(takeStem(naming({ template: '{batch}-{kind}-{model}-{shot}-{take}', take: 3 }))).toBe(
      'Night run-video-vgen-2.0-cl-001-3',
    );
  });

  it('may use any column of the list by its header, however it is spelled', () => {
    expect(takeStem(naming({ template: '{scene_no}_{shot}_t{take}' }))).toBe('12A_001_t1');
    expect(takeStem(naming({ template: '{nothing}{shot}_t{take}' }))).toBe('001_t1');
    expect(takeStem(naming({ template: '{notes}_{shot}', shot: shot({ notes: 'hero' }) }))).toBe('hero_001');
  });

  it('numbers the outputs when there are several, where the template wants it', () => {
    expect(takeStem(naming(), { number: 2, of: 4 })).toBe('001_t1_2');
    expect(takeStem(naming({ template: '{n}-{shot}' }), { number: 2, of: 4 })).toBe('2-001');
    expect(takeStem(naming({ template: '{n}-{shot}' }), { number: 1, of: 1 })).toBe('1-001');
  });

  it('tells takes apart even if the template does not', () => {
    expect(takeStem(naming({ template: '{shot}', take: 1 }))).toBe('001');
    expect(takeStem(naming({ template: '{shot}', take: 2 }))).toBe('001_t2');
  });

  it('is the one the list asks for, with take and output where needed', () => {
    const named = naming({ shot: shot({ fileName: 'Hero shot.MP4' }) });
    expect(takeStem(named)).toBe('Hero shot');
    expect(takeStem({ ...named, take: 2 })).toBe('Hero shot_t2');
    expect(takeStem({ ...named, take: 2 }, { number: 3, of: 4 })).toBe('Hero shot_t2_3');
  });

  it('is shortened in its texts, never in its numbers', () => {
    const long = takeStem(naming({ shot: shot({ key: 'a'.repeat(300) }), take: 12 }), { number: 3, of: 4 });
    expect(long).toMatch(/^a+_t12_3$/);
    expect(long).toHaveLength(80);
    const family = '👨‍👩‍👧‍👦';
    const emoji = takeStem(naming({ shot: shot({ key: family.repeat(60) }), take: 2 }));
    expect(emoji).toMatch(/_t2$/);
    expect(Buffer.byteLength(emoji)).toBeLessThanOrEqual(200);
    expect(emoji.replace('_t2', '').replaceAll(family, '')).toBe('');
  });
});

describe('a safe name', () => {
  it.each([
    ['../../etc/passwd', '_.._etc_passwd'],
    ['/etc/passwd', '_etc_passwd'],
    ['C:\\Windows\\x', 'C_Windows_x'],
    ['CON', 'CON_'],
    ['con.txt', 'con_.txt'],
    ['AUX', 'AUX_'],
    ['com1', 'com1_'],
    ['LPT¹.mp4', 'LPT¹_.mp4'],
    ['CONIN$', 'CONIN$_'],
    ['name. . .', 'name'],
    ['.hidden', 'hidden'],
    ['--help', 'help'],
    ['a\u202egpj.exe', 'a_gpj.exe'],
    ['a\u0000b\nc', 'a_b c'],
    ['..', 'untitled'],
    ['???', 'untitled'],
    ['   ', 'untitled'],
    ['', 'untitled'],
    ['e\u0301te\u0301', 'été'],
    ['what?*|<>"', 'what_'],
    ['日本語 テスト', '日本語 テスト'],
  ])('of %j is %j', (text, name) => {
    expect(safeName(text)).toBe(name);
  });

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc
      .array(fc.constantFrom('..', '/', '\\', 'CON', '.', ' ', '-', '\u200d', '\ud800', '👩‍🚀', 'é', ':'))
      .map((parts) => parts.join('')),
  );
  const reserved = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])\s*(\.|$)/i;

  it('can be created on the three systems, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const name = safeName(text);
        expect(name).not.toBe('');
        expect(name.length).toBeLessThanOrEqual(80);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(name).not.toMatch(/[\\/:*?"<>|\p{Control}\u202a-\u202e\u2066-\u2069]/u);
        expect(name).not.toMatch(/^[.\s-]|[.\s]$/);
        expect(name).not.toMatch(reserved);
        expect(name.isWellFormed()).toBe(true);
        expect(name).toBe(name.normalize('NFC'));
      }),
      { numRuns: 2000 },
    );
  });

  it('never leaves the folder', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(relative('/project/batch', resolve(join('/project/batch', `${safeName(text)}.mp4`)))).toBe(
          `${safeName(text)}.mp4`,
        );
      }),
    );
  });

  it('is its own safe name', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(safeName(safeName(text))).toBe(safeName(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a name template', () => {
  it.each([
    ['{x', /without its partner/],
    ['{{shot}', /without its partner/],
    ['shot}', /without its partner/],
    ['{ }_{take}', /without a name/],
  ])('warns of a template that makes no sense: %j', (template, problem) => {
    expect(templateProblem(template)).toEqual(expect.saying(problem));
  });

  it.each(['{take}', '{batch}_{Model}', '{kind}_t{take}_{n}', 'fixed'])('names many shots alike: %s', (template) => {
    expect(templateWarning(template)).toEqual(expect.saying(/Add \{shot\}/));
  });

  it.each(['{shot}', '{Scene}-{take}', '{notes}'])('tells shots apart: %s', (template) => {
    expect(templateWarning(template)).toBeNull();
  });

  it('may have any fields, or none', () => {
    for (const template of ['{shot}_t{take}', '{Scene}-{n}', 'fixed']) expect(templateProblem(template)).toBeNull();
  });
});

describe('the names of several outputs', () => {
  it('carry the extension of what came', () => {
    expect(outputNames(naming(), ['mp4'])).toEqual(['001_t1.mp4']);
    expect(outputNames(naming(), ['png', 'png'])).toEqual(['001_t1_1.png', '001_t1_2.png']);
  });

  it('avoid names that are taken in another spelling', () => {
    expect(outputNames(naming({ shot: shot({ key: 'Straße' }) }), ['mp4'], ['STRASSE_T1.MP4'])).toEqual([
      'Straße_t1_2.mp4',
    ]);
    expect(outputNames(naming(), ['mp4'], ['001_t1.mp4', '001_T1_2.mp4'])).toEqual(['001_t1_3.mp4']);
  });

  it('are the same file on no system, for any shots and takes', () => {
    const anyShot = fc.record({
      key: fc.string({ unit: 'grapheme', minLength: 1 }),
      take: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(anyShot, { maxLength: 12 }), fc.integer({ min: 1, max: 4 }), (shots, outputs) => {
        const taken: string[] = [];
        for (const { key, take } of shots)
          taken.push(
            ...outputNames(
              naming({ shot: shot({ key }), take }),
              Array.from({ length: outputs }, () => 'png'),
              taken,
            ),
          );
        expect(new Set(taken.map(foldName)).size).toBe(taken.length);
      }),
      { numRuns: 200 },
    );
  });
});
