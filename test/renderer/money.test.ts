import { describe, expect, it } from 'vitest';
import { capChange, capLine, capText, noCap, parseCap, raised } from '../../src/renderer/lib/caps.ts';
import { t } from '../../src/contract/messages/words.ts';
import { spentInWords } from '../../src/renderer/lib/cost.ts';

describe('a cap that is typed', () => {
  it('is none where the fields are empty', () => {
    expect(parseCap(noCap)).toEqual({ ok: true, cap: { money: null, takes: null } });
    expect(parseCap(noCap, ['vgen'])).toMatchObject({ ok: true });
  });

  it('is read as people write numbers', () => {
    expect(parseCap({ money: '1 200,5', takes: ' 40 ' })).toEqual({ ok: true, cap: { money: 1200.5, takes: 40 } });
    expect(capText({ money: 1200.5, takes: 40 })).toEqual({ money: '1200.5', takes: '40' });
  });

  it('is refused at the field that is wrong', () => {
    expect(parseCap({ money: '-1', takes: '2.5' })).toMatchObject({
      ok: false,
      money: t('settings.numberFrom', { min: 0 }),
      takes: t('settings.wholeNumber'),
    });
    expect(parseCap({ money: '1e12', takes: '' })).toMatchObject({
      ok: false,
      money: t('cap.tooMuch', { most: 1_000_000_000 }),
    });
  });

  it('in money is refused where a model has no price, and says which', () => {
    const refused = parseCap({ money: '5', takes: '3' }, ['vgen-2', 'vgen-3']);
    expect(refused).toMatchObject({ ok: false, money: expect.stringContaining('vgen-2, vgen-3') as string });
  });

  it('is raised where most of it is used, to a round number above what was sent', () => {
    const spent = { money: 8.5, micros: 8_500_000, takes: 3, unpriced: 0 };
    expect(raised({ cap: { money: 10, takes: 40 }, spent })).toEqual({ money: 15, takes: 40 });
    expect(raised({ cap: { money: 0.7, takes: 3 }, spent })).toEqual({ money: 13, takes: 5 });
    expect(raised({ cap: { money: 0, takes: 0 }, spent: { ...spent, money: 0, takes: 0 } })).toEqual({
      money: 1,
      takes: 2,
    });
    expect(capLine({ cap: { money: 10, takes: 40 }, spent }, 'USD')).toBe('8.50 of 10.00 USD, 3 of 40 takes');
  });

  it('changes only what is different', () => {
    expect(capChange(null, { money: null, takes: null })).toBeUndefined();
    expect(capChange({ money: 5, takes: 3 }, { money: 5, takes: null })).toEqual({ takes: null });
  });
});

const nothing = { requests: 0, price: null, unpriced: 0 };

describe('what was spent', () => {
  it('is a price where all is known', () => {
    const charged = { requests: 3, price: 1234.5, unpriced: 0 };
    expect(spentInWords({ currency: 'EUR', charged, sending: nothing, maybe: nothing })).toBe('1,234.50 EUR');
  });

  it('sets apart what is being sent, what may have been charged, and what has no price', () => {
    expect(
      spentInWords({
        currency: 'EUR',
        charged: { requests: 3, price: 2, unpriced: 1 },
        sending: { requests: 1, price: 0.04, unpriced: 0 },
        maybe: { requests: 1, price: 0.002, unpriced: 0 },
      }),
    ).toBe(
      '2.00 EUR, and 0.04 EUR being sent, and 0.002 EUR that may have been charged, and 1 request without a price',
    );
  });

  it('is left unsaid where nothing was sent', () => {
    expect(spentInWords({ currency: 'EUR', charged: nothing, sending: nothing, maybe: nothing })).toBe('');
  });
});
