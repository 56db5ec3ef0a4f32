import type { AttemptView } from '../../../../contract/review.ts';
import type { Tone } from '../../../lib/words.ts';

interface AttemptWords {
  readonly word: string;
  readonly tone: Tone;
}

const outcomes: Readonly<Record<AttemptView['outcome'], AttemptWords>> = {
  under_way: { word: 'being sent', tone: 'working' },
  accepted: { word: 'accepted', tone: 'good' },
  answered: { word: 'answered with the result', tone: 'good' },
  not_accepted: { word: 'not taken, not charged', tone: 'waiting' },
  refused: { word: 'refused, not charged', tone: 'bad' },
  unclear: { word: 'no clear answer', tone: 'unsure' },
  adopted: { word: 'sent by another machine', tone: 'off' },
};

/** What became of one request, in a word or two. */
export function attemptWords({ outcome, failure }: Pick<AttemptView, 'outcome' | 'failure'>): AttemptWords {
  return outcome === 'accepted' && failure ? { word: 'accepted, then failed', tone: 'bad' } : outcomes[outcome];
}

/** What was sent, as text to read and to copy: the line of the request, its body, its files. */
export function requestText({ origin, request }: Pick<AttemptView, 'origin' | 'request'>): string {
  const files = request.files.map(({ field, path }) => `${field}: ${path}`);
  return [`${request.method} ${origin}${request.path}`, JSON.stringify(request.body, null, 2), ...files].join('\n');
}
