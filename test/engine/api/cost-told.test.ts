import { describe, expect, it } from 'vitest';
import { costToldIn, costToldInBody } from '../../../src/engine/api/cost-told.ts';

describe('what an answer says of its own cost', () => {
  it('is its usage or cost, as it stands there', () => {
    expect(costToldIn({ id: 'a', usage: { total_tokens: 7 } })).toEqual({ usage: { total_tokens: 7 } });
    expect(costToldIn({ usageMetadata: { totalTokenCount: 3 }, cost: 0.2 })).toEqual({
      usageMetadata: { totalTokenCount: 3 },
      cost: 0.2,
    });
    expect(costToldIn({ data: { usage: { seconds: 5 } } })).toEqual({ usage: { seconds: 5 } });
  });

  it('is nothing where it says nothing, or far too much', () => {
    for (const answer of [undefined, null, [], 'usage', { usage: null }, { data: [{ usage: 1 }] }]) {
      expect(costToldIn(answer)).toBeNull();
    }
    expect(costToldIn({ usage: 'x'.repeat(3000) })).toBeNull();
  });

  it('is looked for in JSON alone, and not in the bytes of media', () => {
    expect(costToldInBody(Buffer.from('{"usage":{"seconds":5}}'))).toEqual({ usage: { seconds: 5 } });
    expect(costToldInBody(Buffer.from('fLaC{"usage":1}'))).toBeNull();
    expect(costToldInBody(Buffer.from('{"usage":'))).toBeNull();
    expect(costToldInBody(Buffer.from(`{"usage":1,"data":"${'x'.repeat(4_000_000)}"}`))).toBeNull();
  });
});
