import { z } from 'zod';
import type { DemoModel } from '../models.ts';
import type { MediaRequest } from '../task-store.ts';
import { publicUrl } from './addresses.ts';
import { requireModel } from './model.ts';
import { parseFields } from './parse-fields.ts';

const text = z.string().optional();
const flag = z.boolean().optional();

/**
 * Body of POST /v1/tasks for music (reference: Generic tasks, and "Music submit" for the further fields).
 * The route takes model-specific fields, so unknown ones pass; known ones must be of their type.
 */
const musicFields = z.object({
  model: z.string(),
  prompt: z.string().min(1, 'it must not be empty').optional(),
  style: text,
  title: text,
  tags: text,
  lyrics: text,
  customMode: flag,
  custom_mode: flag,
  instrumental: flag,
  make_instrumental: flag,
  continue_at: z.number().optional(),
  audioUrl: publicUrl.optional(),
  sourceAudioUrl: publicUrl.optional(),
  callBackUrl: publicUrl.optional(),
  callback_url: publicUrl.optional(),
});

const MUSIC_SECONDS = 8;

export function readMusicOrder(body: Record<string, unknown>): { model: DemoModel; wanted: MediaRequest } {
  const model = requireModel(body.model, 'music');
  const fields = parseFields(musicFields, body, { rejectUnknownFields: false });
  return {
    model,
    wanted: {
      prompt: fields.prompt ?? '',
      title: fields.title ?? null,
      style: fields.style ?? fields.tags ?? null,
      seconds: MUSIC_SECONDS,
      width: 0,
      height: 0,
      outputs: 1,
      audio: true,
    },
  };
}
