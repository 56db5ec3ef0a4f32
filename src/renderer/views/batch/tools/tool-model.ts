import { Persisted } from '../../../lib/state/persisted.svelte.ts';

/** The text model that was asked last, from visit to visit. */
export const toolModel = new Persisted('tool-model', '');
