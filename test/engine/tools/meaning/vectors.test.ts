import { describe, expect, it } from 'vitest';
import { readVectors } from '../../../../src/engine/tools/meaning/meaning.ts';
import { textOfWords, textsOfTake } from '../../../../src/engine/tools/meaning/meaning.ts';

const answer = (...embeddings: { embedding: number[]; index?: number }[]) => ({ object: 'list', data: embeddings });

describe('the vectors in an answer', () => {
  it('are in the order of the texts, and of length 1', () => {
    const vectors = readVectors(answer({ embedding: [0, 2], index: 1 }, { embedding: [3, 4], index: 0 }), 2);
    expect(vectors?.map((vector) => [...vector].map((number) => Number(number.toFixed(6))))).toEqual([
      [0.6, 0.8],
      [0, 1],
    ]);
  });

  it.each([
    ['one is missing', answer({ embedding: [1] }), 2],
    ['one is there twice', answer({ embedding: [1], index: 0 }, { embedding: [1], index: 0 }), 2],
    ['they differ in length', answer({ embedding: [1], index: 0 }, { embedding: [1, 2], index: 1 }), 2],
    ['one is no vector', { data: [{ embedding: ['1'] }] }, 1],
    ['one is nothing', answer({ embedding: [0, 0] }), 1],
    ['it is no list', { data: 'x' }, 1],
  ])('are none when %s', (_why, value, count) => {
    expect(readVectors(value as never, count)).toBeNull();
  });
});

describe('the texts of a take', () => {
  it('are what its shot says and what its reviewer noted', () => {
    const take = { seq: 1, takeId: '1', prompt: 'A door', title: 'Night', notes: ' ', note: 'too dark' };
    expect(textsOfTake(take)).toEqual(['Night\nA door', 'too dark']);
    expect(textsOfTake({ seq: 1, takeId: '1', prompt: '', title: null, notes: null, note: null })).toEqual([]);
  });

  it('are short enough for a model, and end with a whole character', () => {
    const [text = ''] = textsOfTake({
      ...{ seq: 1, takeId: '1' },
      prompt: `x${'😀'.repeat(9000)}`,
      title: null,
      notes: null,
      note: null,
    });
    expect(text).toHaveLength(8000);
    expect(text.isWellFormed()).toBe(true);
    expect(textOfWords(Buffer.from(' A keeper. '))).toBe('A keeper.');
  });
});
