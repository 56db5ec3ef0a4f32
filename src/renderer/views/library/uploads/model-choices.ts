import { api } from '../../../lib/client.ts';

/** Ids of models that take media. Empty when they cannot be told: they are an offer only. */
export async function modelChoices(): Promise<{ value: string; label: string }[]> {
  try {
    const models = await api.settings.models();
    return models.filter(({ kind }) => kind !== 'music').map(({ id }) => ({ value: id, label: id }));
  } catch {
    return [];
  }
}
