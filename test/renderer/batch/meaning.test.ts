import { describe, expect, it } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
import type { StartPlan } from '../../../src/contract/batch.ts';
import { costInWords } from '../../../src/renderer/lib/cost.ts';
import {
  allMeanings,
  choicesFor,
  kindOfRow,
  meaningInWords,
  parameterFor,
} from '../../../src/renderer/views/batch/draft/columns.ts';
import {
  differencesInWords,
  failedInWords,
  isImportAgain,
  nothingNewInWords,
  secondsInWords,
} from '../../../src/renderer/views/batch/draft/plan-words.ts';
import { aJob } from '../../support/jobs.ts';
import { byShot, mostUrgent } from '../../../src/renderer/views/batch/run/shot-jobs.ts';

const column = (header: string, name: string | null = header, isExtra = false) => ({ header, column: name, isExtra });

describe('the meaning of a column', () => {
  it('depends on the kind of the row where one header means two things', () => {
    const resolution = column('Resolution', 'size');
    expect(parameterFor(resolution, 'video')?.name).toBe('size');
    expect(parameterFor(resolution, 'image')?.name).toBe('resolution');
  });

  it('follows the mapping, whatever the header says', () => {
    expect(parameterFor(column('duration', 'prompt'), 'video')?.name).toBe('prompt');
  });

  it('is nothing in a row whose kind has no such parameter', () => {
    expect(parameterFor(column('duration'), 'music')).toBeNull();
  });

  it('is said only where it is more than the header says', () => {
    expect(meaningInWords(column('Aspect Ratio', 'aspect_ratio'))).toBe('');
    expect(meaningInWords(column('ratio', 'aspect_ratio'))).toBe(t('column.aspectRatio'));
    expect(meaningInWords(column('scene', null))).toBe(t('list.keptNotSent'));
    expect(meaningInWords(column('param.seed', null, true))).toBe(t('list.sentUnchanged'));
  });

  it('can be any parameter of any kind, each offered once', () => {
    const names = allMeanings().map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['shot', 'prompt', 'duration', 'n', 'lyrics']));
  });

  it('decides what is offered in a cell', () => {
    expect(choicesFor(parameterFor(column('model'), 'video'), ['m-1'])).toEqual(['m-1']);
    expect(choicesFor(parameterFor(column('watermark'), 'video'), [])).toEqual(['TRUE', 'FALSE']);
    expect(choicesFor(parameterFor(column('prompt'), 'video'), [])).toEqual([]);
  });

  it('takes the kind from the row, else from its model, else from the list', () => {
    const kindOf = (kind: string, model: string) =>
      kindOfRow(
        (name) => ({ kind, model })[name] ?? '',
        (id) => (id === 'song-1' ? 'music' : null),
        'image',
      );
    expect(kindOf('Clip', 'song-1')).toBe('video');
    expect(kindOf('', 'song-1')).toBe('music');
    expect(kindOf('', 'unknown')).toBe('image');
  });
});

const plan: StartPlan = {
  added: ['010'],
  changed: [],
  unchanged: 0,
  removed: [],
  failed: [],
  newTakes: 3,
  lasts: null,
  lines: [],
  currency: 'USD',
  price: 1.5,
  unpriced: 0,
  tonight: { takes: 3, price: 1.5, unpriced: 0 },
  afterPicks: { takes: 0, price: 0, unpriced: 0 },
  atMost: { takes: 3, price: 1.5, unpriced: 0 },
  uploads: [],
  cap: null,
  withoutPrice: [],
  outside: [],
  paidAgain: null,
  texts: '',
};

describe('an estimate in words', () => {
  it('names the price, and what has none', () => {
    expect(costInWords(plan)).toBe('1.50 USD');
    expect(costInWords({ ...plan, unpriced: 2 })).toBe('1.50 USD and 2 takes of unknown price');
    expect(costInWords({ ...plan, price: null })).toBe('price unknown');
    expect(costInWords({ ...plan, newTakes: 0 })).toBe('nothing to pay');
  });

  it('names the takes that failed: that all are there would be untrue', () => {
    expect([failedInWords(plan), nothingNewInWords(plan)]).toEqual([null, t('start.allTakesMade')]);
    const refused = { ...plan, newTakes: 0, failed: ['009'] };
    expect(failedInWords(refused)).toBe('1 take failed: 009');
    expect(nothingNewInWords(refused)).toBe(t('start.noNewTakes'));
    const many = { ...refused, failed: ['009', '010', '011', '012'] };
    expect(failedInWords(many)).toBe('4 takes failed: 009, 010, 011 and others');
  });

  it('says what is different from the batch of that name', () => {
    expect(isImportAgain(plan)).toBe(false);
    const again = { ...plan, changed: ['020', '030'], unchanged: 1200, removed: ['x'] };
    expect(isImportAgain(again)).toBe(true);
    expect(differencesInWords(again)).toBe('1 new, 2 changed, 1,200 unchanged, 1 left out');
  });

  it('counts short lengths in seconds and long ones in hours', () => {
    expect([secondsInWords(59.5), secondsInWords(600), secondsInWords(36_000)]).toEqual(['59.5 s', '10 min', '10 h']);
  });
});

describe('the takes of shots', () => {
  it('keep the order of the list, takes oldest first, whatever their ids', () => {
    const rows = byShot([
      aJob({ id: '0', shot: '020', state: 'ready', position: 1 }),
      aJob({ id: '2', shot: '010', state: 'ready', take: 2 }),
      aJob({ id: '1', shot: '010', state: 'ready' }),
    ]);
    expect(rows.map(({ id, jobs }) => [id, jobs.map((each) => each.id)])).toEqual([
      ['010', ['1', '2']],
      ['020', ['0']],
    ]);
  });

  it('are spoken for by the one a person wants to hear of first', () => {
    const saved = aJob({ id: '1', shot: '010', state: 'saved' });
    const polling = aJob({ id: '2', shot: '010', state: 'polling' });
    const waiting = aJob({ id: '3', shot: '010', state: 'ready' });
    const unknown = aJob({ id: '4', shot: '010', state: 'submit_unknown' });
    expect(mostUrgent([saved, waiting, polling])?.id).toBe('2');
    expect(mostUrgent([saved, polling, unknown])?.id).toBe('4');
    expect(mostUrgent([])).toBeNull();
    const corrected = aJob({ id: '5', shot: '010', state: 'rejected', isSetAside: true });
    expect(mostUrgent([corrected, saved])?.id).toBe('1');
  });
});
