import type { JsonObject } from '../../contract/json.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import type { PlannedRequest } from '../../contract/take.ts';
import { models } from '../api/resources/text.ts';
import { presentFields, withExtraFields } from './extra-fields.ts';

/** The part of a prompt that is words. Fields of a part are assumed: the reference shows none ("Text generation"). */
export const textPart = (text: string): JsonObject => ({ text });

/**
 * A generateContent request. The `param.` fields of the row go into `generationConfig`: the request has no other place
 * for them in the reference.
 */
export function generateContent(shot: ShotSpec, parts: readonly JsonObject[], config: JsonObject): PlannedRequest {
  const { system } = shot.params;
  const generationConfig = withExtraFields(config, shot);
  const body = presentFields({
    contents: [{ role: 'user', parts: [...parts] }],
    systemInstruction: typeof system === 'string' ? { parts: [textPart(system)] } : undefined,
    generationConfig: Object.keys(generationConfig).length > 0 ? generationConfig : undefined,
  });
  return models.generateContent(shot.model, body);
}
