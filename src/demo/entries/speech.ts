import { z } from 'zod';
import { jsonObject } from '../call.ts';
import { SPEECH_FORMATS, voice as speaker } from '../media/speech.ts';
import { mediaRequest } from '../task-store.ts';
import { commitTask, finished, outputFiles } from './create-task.ts';
import { parseFields, requireModel } from './fields.ts';
import type { Route } from './route.ts';

/** Fields of speech (reference: "Speech, embeddings, web and music request shapes"). */
const speechFields = z.object({
  model: z.string(),
  input: z.string().min(1, 'it must not be empty'),
  voice: z.string().min(1, 'it must not be empty'),
  response_format: z.enum(SPEECH_FORMATS).default('mp3'),
  speed: z.number().min(0.25, 'it must be at least 0.25').max(4, 'it must be 4 at most').default(1),
});

/** The path is assumed: the reference does not show it. Answered with the sound itself. */
export const speechRoutes: Route[] = [
  {
    method: 'POST',
    path: '/v1/audio/speech',
    answer: async (call, parts) => {
      const body = jsonObject(call);
      const model = requireModel(body.model, 'speech');
      const { input, voice, response_format: format, speed } = parseFields(speechFields, body, parts);
      const wanted = mediaRequest({ prompt: input, style: voice, audio: true, format, speed });
      const task = commitTask(call, parts, 'tasks', { model, wanted });
      await finished(task, call, parts);
      const [file] = await outputFiles(task, parts);
      const { contentType } = speaker.format(wanted);
      return { status: 200, headers: { 'content-type': contentType }, body: file?.bytes ?? Buffer.alloc(0) };
    },
  },
];
