import { describe, expect, it } from 'vitest';
import { t } from '../../../src/contract/messages/words.ts';
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
  it('distinguishes a failed task from a finished one', () => {
    expect(attemptWords(attempt)).toEqual({ word: t('queue.attemptAccepted'), tone: 'good' });
    expect(attemptWords({ ...attempt, failure })).toEqual({ word: t('queue.attemptFailed'), tone: 'bad' });
  });

  it('says that nothing was charged only where that is certain', () => {
    const notCharged = [t('queue.attemptNotAccepted'), t('queue.attemptRejected')];
    expect(notCharged).toContain(attemptWords({ outcome: 'not_accepted', failure }).word);
    expect(notCharged).toContain(attemptWords({ outcome: 'refused', failure }).word);
    for (const outcome of ['accepted', 'answered', 'unclear', 'under_way', 'adopted'] as const) {
      expect(notCharged).not.toContain(attemptWords({ outcome }).word);
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
