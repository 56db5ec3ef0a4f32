import { t } from '../../../../contract/messages/words.ts';
import type { AttemptView } from '../../../../contract/review.ts';
import type { MarkedWord } from '../../../lib/words.ts';

const outcomes: Readonly<Record<AttemptView['outcome'], MarkedWord>> = {
  under_way: { word: t('queue.attemptUnderWay'), tone: 'working' },
  accepted: { word: t('queue.attemptAccepted'), tone: 'good' },
  answered: { word: t('queue.attemptAnswered'), tone: 'good' },
  not_accepted: { word: t('queue.attemptNotAccepted'), tone: 'waiting' },
  refused: { word: t('queue.attemptRejected'), tone: 'bad' },
  unclear: { word: t('queue.attemptUnclear'), tone: 'unsure' },
  adopted: { word: t('queue.attemptAdopted'), tone: 'off' },
};

export function attemptWords({ outcome, failure }: Pick<AttemptView, 'outcome' | 'failure'>): MarkedWord {
  return outcome === 'accepted' && failure ? { word: t('queue.attemptFailed'), tone: 'bad' } : outcomes[outcome];
}

export function requestText({ origin, request }: Pick<AttemptView, 'origin' | 'request'>): string {
  const files = request.files.map(({ field, path }) => `${field}: ${path}`);
  return [`${request.method} ${origin}${request.path}`, JSON.stringify(request.body, null, 2), ...files].join('\n');
}
