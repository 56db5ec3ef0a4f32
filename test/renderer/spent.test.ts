import { spentInWords } from '../../src/renderer/lib/cost.ts';
import { describe, expect, it } from 'vitest';

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
      '2.00 EUR, and 0.04 EUR being sent, and 0.002 EUR that may have been charged, and 1 request of unknown price',
    );
  });

  it('is left unsaid where nothing was sent', () => {
    expect(spentInWords({ currency: 'EUR', charged: nothing, sending: nothing, maybe: nothing })).toBe('');
  });
});
