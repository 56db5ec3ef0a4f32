import { describe, expect, it } from 'vitest';
import { costHintIn, costHintInResult } from '../../../src/engine/api/answer.ts';

describe('what an answer says of its own cost', () => {
  it('is its usage or cost, as it stands there', () => {
    expect(costHintIn({ id: 'a', usage: { total_tokens: 7 } })).toEqual({ usage: { total_tokens: 7 } });
    expect(costHintIn({ usageMetadata: { totalTokenCount: 3 }, cost: 0.2 })).toEqual({
      usageMetadata: { totalTokenCount: 3 },
      cost: 0.2,
    });
    expect(costHintIn({ data: { usage: { seconds: 5 } } })).toEqual({ usage: { seconds: 5 } });
  });

  it('is nothing where it says nothing, or far too much', () => {
    for (const answer of [undefined, null, [], 'usage', { usage: null }, { data: [{ usage: 1 }] }]) {
      expect(costHintIn(answer)).toBeNull();
    }
    expect(costHintIn({ usage: 'x'.repeat(3000) })).toBeNull();
  });

  it('is looked for in no answer that is a picture inside JSON', () => {
    const json = { usage: { seconds: 5 } };
    expect(costHintInResult({ body: Buffer.alloc(100), json })).toEqual(json);
    expect(costHintInResult({ body: Buffer.alloc(4_000_001), json })).toBeNull();
  });
});
