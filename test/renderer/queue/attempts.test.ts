import { describe, expect, it } from 'vitest';
import type { AttemptView } from '../../../src/contract/review.ts';
import { attemptWords, requestText } from '../../../src/renderer/views/queue/details/attempt-words.ts';

const attempt: AttemptView = {
  number: 1,
  intendedAt: 1000,
  endedAt: 2000,
  outcome: 'accepted',
  origin: 'https://service.example/prefix',
  request: {
    operation: 'images.edit',
    method: 'POST',
    path: '/v1/images/edits/async',
    encoding: 'multipart',
    body: { model: 'image-demo', prompt: 'A harbour' },
    files: [{ field: 'image', path: '/films/a.png' }],
    answers: 'task',
  },
};
const failure = { code: 'x', message: 'It failed.', remedy: 'Wait.', cost: 'maybe', at: 2000 } as const;

describe('an attempt in words', () => {
  it('tells a task that failed from one that was made', () => {
    expect(attemptWords(attempt)).toEqual({ word: 'accepted', tone: 'good' });
    expect(attemptWords({ ...attempt, failure })).toEqual({ word: 'accepted, then failed', tone: 'bad' });
  });

  it('says that nothing was charged only where that is certain', () => {
    expect(attemptWords({ outcome: 'not_accepted', failure }).word).toContain('not charged');
    expect(attemptWords({ outcome: 'refused', failure }).word).toContain('not charged');
    for (const outcome of ['unclear', 'under_way', 'adopted'] as const) {
      expect(attemptWords({ outcome }).word).not.toContain('not charged');
    }
  });

  it('shows what was sent where, its files too', () => {
    expect(requestText(attempt).split('\n')).toEqual([
      'POST https://service.example/prefix/v1/images/edits/async',
      '{',
      '  "model": "image-demo",',
      '  "prompt": "A harbour"',
      '}',
      'image: /films/a.png',
    ]);
  });
});
