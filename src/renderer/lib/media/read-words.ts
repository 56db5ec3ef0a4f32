import { t } from '../../../contract/messages/words.ts';
import { mediaUrl } from '../client.ts';

export async function readWords(takeId: string, output: number, bytes: number, signal: AbortSignal): Promise<string> {
  const response = await fetch(mediaUrl(takeId, output), { headers: { range: `bytes=0-${bytes - 1}` }, signal });
  if (!response.ok) throw new Error(t('review.fileUnreadable'));
  // As a stream, so that a character that the end cuts is left out.
  return new TextDecoder().decode(await response.arrayBuffer(), { stream: true });
}
