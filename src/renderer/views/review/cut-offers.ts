import type { CutSummary } from '../../../contract/cut.ts';
import { t } from '../../../contract/messages/words.ts';
import { act } from '../../lib/act.ts';
import { api } from '../../lib/client.ts';

export interface CutOffer extends Pick<CutSummary, 'name' | 'clips'> {
  /** It is of the picks, and made when it is chosen. */
  readonly isNew?: boolean;
}

/** The cuts of a project; where there are none, one of its picks. */
export async function readCutOffers(projectId: string): Promise<readonly CutOffer[]> {
  const cuts = await api.cuts.list({ projectId });
  if (cuts.length > 0) return cuts;
  const name = t('cut.firstName');
  return [{ name, clips: (await api.cuts.fromPicks({ projectId, name })).clips.length, isNew: true }];
}

export async function makeOffered(projectId: string, offer: CutOffer | undefined): Promise<void> {
  if (!offer?.isNew) return;
  const cut = await api.cuts.fromPicks({ projectId, name: offer.name });
  await act('cuts.save', { projectId, cut, revision: null });
}
