import { messageFor, textForLog } from '../../../contract/messages/message.ts';
import type { Json, JsonObject } from '../../../contract/json.ts';
import { imageOperation, isJobStyle, JOB_STYLE } from '../../../contract/kinds/image.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import type { PlannedRequest } from '../../../contract/take.ts';
import { images } from '../../api/resources/requests.ts';
import { type KindDriver, pathIn, type Refusal, type RequestContext } from '../driver.ts';
import { callbackOf, extraFieldName, presentFields, sentText, withExtraFields } from '../extra-fields.ts';
import { generateContent } from '../chat-message.ts';
import { sentAddress, sentFile } from '../media-reference.ts';
import { contentParts, generationConfig, messageFields, imageRules } from './rules.ts';
import { TakeButton, type TakeExtras } from '../../../contract/take-extras.ts';
import { isObject, textOf } from '../../api/answer.ts';

/** Statuses of a refusal that may be about the asynchronous entry, whatever it says. */
const NO_ENTRY = [403, 404, 405];

/** Service reference, "Images". */
export const imageDriver: KindDriver = {
  rules: imageRules,
  toRequest: (shot, context) => imageRequest(shot, context, needsAsyncEntry(shot) || wantsAsyncEntry(context)),
  // The asynchronous one: the synchronous ones do the same for accounts without it.
  optionalEntry: {
    // Under the name that earlier releases gave it.
    fact: ({ model, params }) =>
      `no_async_images_since ${imageOperation(params) === 'edit' ? 'edit' : 'generate'} ${model}`,
    isMissing: (shot, { settings }, refused, complaint) =>
      hasSynchronousTwin(refused) &&
      !needsAsyncEntry(shot) &&
      settings.assumed.imageEntry === 'auto' &&
      saysNoAsyncEntry(complaint, shot.model),
  },
  refusalRemedy: (refused, { httpStatus }) =>
    hasSynchronousTwin(refused) && NO_ENTRY.includes(httpStatus) ? messageFor('remedy.imageEntry') : undefined,
  listPath: ({ operation, body }, attemptId, { paths }) =>
    images.isJobSubmit(operation) && body.state === attemptId && paths.jobList
      ? images.listPath(attemptId, paths.jobList)
      : undefined,
  taskPath: (taskId, settings, { params }) =>
    images.path(taskId, pathIn(settings, isJobStyle(params) ? 'jobTask' : 'imageTask')),
  readExtras: readJobExtras,
};

const hasSynchronousTwin = ({ answers, operation }: PlannedRequest): boolean =>
  answers === 'task' && ['images.generateAsync', 'images.editAsync'].includes(operation);

function wantsAsyncEntry({ settings, entryIsMissing }: RequestContext): boolean {
  const { imageEntry } = settings.assumed;
  return imageEntry === 'auto' ? !entryIsMissing : imageEntry === 'asynchronous';
}

const LONGEST_COMPLAINT = 1000;

/** Texts that deny the asynchronous entry; "not supported for asynchronous images" denies a value of a field instead. */
const DENIES_ASYNC = [
  /(?:async|异步).*(?:\bnot (?:\w+ ){0,2}(?:enabled|available|supported|allowed|permitted|open)\b|\bno access\b)/i,
  /(?:async|异步).*(?:\b(?:disabled|unavailable|unsupported|denied)\b|未开|未启用|不支持|不可用|无权)/i,
  /(?:\b(?:no|not (?:support|have|offer|enable))\b|不支持|未开|无权).*(?:\basync|异步)/i,
];

/**
 * The reference shows neither code nor text for it. Not there is an entry that a 404 or 405 speaks of, or that does not
 * blame the model, above all a mistyped one; and one that a 403 speaks of or a 400 denies.
 */
function saysNoAsyncEntry({ httpStatus, code = '', ...refusal }: Refusal, model: string): boolean {
  const words = `${code} ${textForLog(refusal.message)}`.slice(0, LONGEST_COMPLAINT).split(/[\s"'`“”‘’,;()]+/);
  const others = words.filter((word) => word.replace(/[.:]$/, '') !== model);
  const said = others.join(' ').replaceAll('_', ' ');
  switch (httpStatus) {
    case 400:
      return DENIES_ASYNC.some((denial) => denial.test(said));
    case 403:
      return /async|异步/i.test(said);
    case 404:
    case 405:
      return /async|异步/i.test(said) || (others.length === words.length && !/model|模型/i.test(said));
    default:
      return false;
  }
}

/** Only the asynchronous entry has a `resolution`: going round it would pay for another picture than was asked for. */
function needsAsyncEntry(shot: ShotSpec): boolean {
  return shot.params.resolution !== undefined;
}

function imageRequest(shot: ShotSpec, context: RequestContext, asynchronous: boolean): PlannedRequest {
  if (shot.params.entry === 'content') {
    return generateContent(shot, contentParts(shot, context), generationConfig(shot));
  }
  if (shot.params.entry === 'messages') {
    const fields = presentFields({ model: shot.model, ...messageFields(shot, context) });
    return images.generateFromMessages(withExtraFields(fields, shot));
  }
  switch (imageOperation(shot.params)) {
    case 'edit': {
      const make = asynchronous ? images.editAsync : images.edit;
      return make(formBody(shot, { prompt: shot.prompt }), formFiles(shot, context, ['image', 'mask']));
    }
    case 'variation':
      // There is no asynchronous entry for variations.
      return images.vary(formBody(shot, {}), formFiles(shot, context, ['image']));
    case 'typo_generate':
      return images.typography('generate', typographyBody(shot, context));
    case 'typo_remix':
      return images.typography('remix', typographyBody(shot, context));
    case 'typo_upscale':
      return images.typography('upscale', typographyBody({ ...shot, prompt: '' }, context));
    case 'imagine':
      return jobRequest('imagine', shot, context, { prompt: sentText(shot.prompt) });
    case 'blend':
      return jobRequest('blend', shot, context, { prompt: sentText(shot.prompt) });
    case 'action':
      return jobRequest('action', shot, context, { customId: shot.params.button, taskId: shot.params.action_task });
    default:
      return (asynchronous ? images.generateAsync : images.generate)(generationBody(shot));
  }
}

/** The reference shows no model there, but takes further fields: one that the row names is sent. */
function jobRequest(
  action: string,
  shot: ShotSpec,
  { attemptId, settings, listFolder }: RequestContext,
  own: Readonly<Record<string, Json | undefined>>,
): PlannedRequest {
  const { blend_images: cells } = shot.params;
  const as = settings.assumed.inlineImages;
  const files = (Array.isArray(cells) ? cells : []).flatMap((cell) =>
    typeof cell === 'string' ? [{ field: 'base64Array', path: sentFile(cell, listFolder), as }] : [],
  );
  const namesState = Object.keys(shot.extra).some((name) => extraFieldName(name) === 'state');
  const fields = presentFields({
    model: shot.model === JOB_STYLE ? undefined : shot.model,
    ...own,
    notifyHook: callbackOf(shot, settings, 'notifyHook'),
    state: namesState ? undefined : attemptId,
  });
  const body = withExtraFields(
    fields,
    shot,
    files.map(({ field }) => field),
  );
  return images.submitJob(action, body, pathIn(settings, 'jobSubmit'), files);
}

function generationBody(shot: ShotSpec): JsonObject {
  const { params } = shot;
  const fields = presentFields({
    model: shot.model,
    prompt: sentText(shot.prompt),
    size: params.size,
    aspect_ratio: params.aspect_ratio,
    resolution: params.resolution,
    n: params.n,
    response_format: params.response_format,
  });
  return withExtraFields(fields, shot);
}

function typographyBody(shot: ShotSpec, { assets }: RequestContext): JsonObject {
  const { image, aspect_ratio, rendering_speed, style_type } = shot.params;
  const fields = presentFields({
    prompt: sentText(shot.prompt),
    aspect_ratio,
    rendering_speed,
    style_type,
    image_url: typeof image === 'string' ? sentAddress(image, assets) : undefined,
  });
  return withExtraFields(fields, shot);
}

function formBody(shot: ShotSpec, prompt: JsonObject): JsonObject {
  const fields = presentFields({ model: shot.model, ...prompt, n: shot.params.n, size: shot.params.size });
  return withExtraFields(fields, shot, ['image', 'mask']);
}

function formFiles(shot: ShotSpec, context: RequestContext, fields: readonly string[]): PlannedRequest['files'] {
  return fields.flatMap((field) => {
    const cell = shot.params[field];
    return typeof cell === 'string' ? [{ field, path: sentFile(cell, context.listFolder) }] : [];
  });
}

const MOST_BUTTONS = 100;
const LONGEST_PROMPT = 20_000;

/** Buttons and final prompts of a job-style answer. The fields of a button are not shown: they are read under their usual names. */
export function readJobExtras(answer: JsonObject): TakeExtras | null {
  const record = [answer, answer.data, answer.result].find(
    (each) => isObject(each) && (each.buttons ?? each.properties),
  );
  if (!isObject(record)) return null;
  const { buttons, properties, prompt } = record;
  const made = isObject(properties) ? properties : {};
  const prompts = ['finalPrompt', 'finalZhPrompt'].flatMap((name) => {
    const text = textOf(made[name])?.trim().slice(0, LONGEST_PROMPT);
    return text === undefined || text === prompt ? [] : [{ name, text }];
  });
  const extras = {
    buttons: (Array.isArray(buttons) ? buttons : []).slice(0, MOST_BUTTONS).flatMap(readButton),
    prompts,
  };
  return extras.buttons.length + extras.prompts.length === 0 ? null : extras;
}

function readButton(button: Json): TakeButton[] {
  if (!isObject(button)) return [];
  const customId = textOf(button.customId) ?? textOf(button.custom_id) ?? textOf(button.id);
  const label = textOf(button.label) ?? textOf(button.name) ?? textOf(button.text) ?? '';
  const emoji = textOf(isObject(button.emoji) ? button.emoji.name : button.emoji) ?? '';
  const { success, data } = TakeButton.safeParse({ customId, label, emoji });
  return success ? [data] : [];
}
