import { messageFor, textForLog } from '../../../contract/messages/message.ts';
import { type Json, JsonObject } from '../../../contract/json.ts';
import { imageOperation, imageSpec, isJobStyle, isTypography, JOB_STYLE } from '../../../contract/kinds/image.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { type PlannedRequest, TakeButton, type TakeExtras } from '../../../contract/take.ts';
import { images } from '../../api/resources/requests.ts';
import type {
  Finding,
  KindDriver,
  KindRules,
  MediaUse,
  Refusal,
  RequestContext,
  RuleContext,
  ShotDraft,
} from '../rules.ts';
import { error, needs, pathIn, promptNotSent, takesNo, warning, when } from '../rules.ts';
import {
  callbackFor,
  checkSentTwice,
  extraFieldName,
  generateContent,
  Messages,
  picturePart,
  presentFields,
  sentText,
  textPart,
  userMessage,
  withExtraFields,
} from '../extra-fields.ts';
import { cellsIn, namedMedia, sentAddresses, sentFile } from '../media-reference.ts';
import { isObject, toText } from '../../api/answer.ts';
import { MAX_INLINE_BYTES } from '../../api/request-parts.ts';
import { isOneOf, PRO_OR_VIP } from '../../models/index.ts';

/** Statuses of a refusal that may be about the asynchronous entry, whatever it says. */
const NO_ENTRY = [403, 404, 405];

const hasSynchronousTwin = ({ answers, operation }: PlannedRequest): boolean =>
  answers === 'task' && ['images.generateAsync', 'images.editAsync'].includes(operation);

function wantsAsyncEntry({ settings, entryIsMissing }: RequestContext): boolean {
  const { imageEntry } = settings.assumed;
  return imageEntry === 'auto' ? !entryIsMissing : imageEntry === 'asynchronous';
}

const MAX_COMPLAINT = 1000;

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
  const words = `${code} ${textForLog(refusal.message)}`.slice(0, MAX_COMPLAINT).split(/[\s"'`“”‘’,;()]+/);
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
  const operation = imageOperation(shot.params);
  switch (operation) {
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
    case 'blend':
      return jobRequest(operation, shot, context, { prompt: sentText(shot.prompt) });
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
  const as = settings.assumed.inlineImages;
  const files = cellsIn(shot.params.blend_images).map((cell) => ({
    ...{ field: 'base64Array', path: sentFile(cell, listFolder), as },
  }));
  const namesState = Object.keys(shot.extra).some((name) => extraFieldName(name) === 'state');
  const fields = presentFields({
    model: shot.model === JOB_STYLE ? undefined : shot.model,
    ...own,
    notifyHook: callbackFor(shot, settings, 'notifyHook'),
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
  const { size, aspect_ratio, resolution, n, response_format } = shot.params;
  const words = { model: shot.model, prompt: sentText(shot.prompt) };
  return withExtraFields(presentFields({ ...words, size, aspect_ratio, resolution, n, response_format }), shot);
}

function typographyBody(shot: ShotSpec, { assets }: RequestContext): JsonObject {
  const { image, aspect_ratio, rendering_speed, style_type } = shot.params;
  const [image_url] = sentAddresses(image, assets) ?? [];
  const fields = { prompt: sentText(shot.prompt), aspect_ratio, rendering_speed, style_type, image_url };
  return withExtraFields(presentFields(fields), shot);
}

function formBody(shot: ShotSpec, prompt: JsonObject): JsonObject {
  const fields = presentFields({ model: shot.model, ...prompt, n: shot.params.n, size: shot.params.size });
  return withExtraFields(fields, shot, ['image', 'mask']);
}

function formFiles(shot: ShotSpec, context: RequestContext, fields: readonly string[]): PlannedRequest['files'] {
  return fields.flatMap((field) =>
    cellsIn(shot.params[field]).map((cell) => ({ field, path: sentFile(cell, context.listFolder) })),
  );
}

const MAX_BUTTONS = 100;
const MAX_PROMPT = 20_000;

/** Buttons and final prompts of a job-style answer. The fields of a button are not shown: they are read under their usual names. */
export function readJobExtras(answer: JsonObject): TakeExtras | null {
  const record = [answer, answer.data, answer.result].find(
    (each) => isObject(each) && (each.buttons ?? each.properties),
  );
  if (!isObject(record)) return null;
  const { buttons, properties, prompt } = record;
  const made = isObject(properties) ? properties : {};
  const prompts = ['finalPrompt', 'finalZhPrompt'].flatMap((name) => {
    const text = toText(made[name])?.trim().slice(0, MAX_PROMPT);
    return text === undefined || text === prompt ? [] : [{ name, text }];
  });
  const extras = {
    buttons: (Array.isArray(buttons) ? buttons : []).slice(0, MAX_BUTTONS).flatMap(readButton),
    prompts,
  };
  return extras.buttons.length + extras.prompts.length === 0 ? null : extras;
}

function readButton(button: Json): TakeButton[] {
  if (!isObject(button)) return [];
  const customId = toText(button.customId) ?? toText(button.custom_id) ?? toText(button.id);
  const label = toText(button.label) ?? toText(button.name) ?? toText(button.text) ?? '';
  const emoji = toText(isObject(button.emoji) ? button.emoji.name : button.emoji) ?? '';
  const { success, data } = TakeButton.safeParse({ customId, label, emoji });
  return success ? [data] : [];
}

const inForm = namedMedia(imageSpec, 'file');
const byAddress = namedMedia(imageSpec, 'address');

const lettering = ['aspect_ratio', 'rendering_speed', 'style_type'];

/** The columns that each operation of the usual entry, and each of the other entries, has a field for. */
const taken: Readonly<Record<string, readonly string[]>> = {
  generate: ['size', 'aspect_ratio', 'resolution', 'n', 'response_format'],
  edit: ['image', 'mask', 'size', 'n'],
  variation: ['image', 'size', 'n'],
  content: ['image', 'system', 'generation_config'],
  messages: ['image', 'size', 'messages'],
  typo_generate: lettering,
  typo_remix: ['image', ...lettering],
  typo_upscale: ['image'],
  imagine: ['blend_images'],
  blend: ['blend_images'],
  action: ['action_task', 'button'],
};

const onlyIn: Readonly<Record<string, string>> = {
  mask: 'edit',
  blend_images: 'blend',
  action_task: 'action',
  button: 'action',
};

/** How many images a job-style request takes is not shown; more than this would be too much for one. */
const MAX_INLINE_IMAGES = 10;

/** Service reference, "Images" and "Limits". */
const imageRules: KindRules = {
  mediaOf: (params) =>
    toEntry(params) === 'images' && !isTypography(params) ? inForm(params).map(boundedInline) : byAddress(params),
  check: (shot, context) => [
    ...checkColumns(shot),
    ...(hasOwnEntry(shot) ? checkFamily(shot) : [...checkEntry(shot), ...checkSides(shot, context)]),
  ],
  schemas: { generation_config: JsonObject, messages: Messages },
};

/** Job-style images go inside the request. */
const boundedInline = (use: MediaUse): MediaUse =>
  use.column === 'blend_images' ? { ...use, maxBytes: MAX_INLINE_BYTES } : use;

const toEntry = ({ entry }: ShotDraft['params']): string => (typeof entry === 'string' ? entry : 'images');

const hasOwnEntry = ({ params }: ShotDraft): boolean => isTypography(params) || isJobStyle(params);

function checkColumns(shot: ShotDraft): Finding[] {
  const { params } = shot;
  const entry = toEntry(params);
  const operation = imageOperation(params);
  const isOtherEntry = entry !== 'images' && !hasOwnEntry(shot);
  const known = ['operation', 'entry', ...(taken[isOtherEntry ? entry : operation] ?? [])];
  const strange = Object.keys(params).filter((column) => params[column] !== undefined && !known.includes(column));
  return strange.map((column) => {
    const only = onlyIn[column];
    if (only !== undefined) {
      const remedy = messageFor('remedy.setOperation', { operation: only });
      return error(column, messageFor('defect.onlyFor', { operation: only, column }), remedy);
    }
    if (!isOtherEntry) return error(column, takesNo(operation, column), messageFor('remedy.otherEntry'));
    const remedy = messageFor(entry === 'content' ? 'remedy.useGenerationConfig' : 'remedy.otherEntry');
    return error(column, takesNo(entry, column), remedy);
  });
}

function checkEntry(shot: ShotDraft): Finding[] {
  switch (toEntry(shot.params)) {
    case 'content':
      return [...checkWordsAndMedia(shot), ...checkSentTwice(generationConfig(shot), shot.extra)];
    case 'messages': {
      const sent = messageFields(shot, { assets: new Map() });
      return [...checkWordsAndMedia(shot), ...checkMessages(shot), ...checkSentTwice(sent, shot.extra)];
    }
    default:
      return checkOperation(shot);
  }
}

function checkFamily(shot: ShotDraft): Finding[] {
  const { params } = shot;
  const operation = imageOperation(params);
  return [
    ...when(
      toEntry(params) !== 'images',
      error('entry', messageFor('defect.ownEntry', { operation }), messageFor('remedy.clearCell')),
    ),
    ...(isTypography(params) ? checkTypography(shot, operation) : []),
    ...(operation === 'action' ? checkAction(shot) : []),
    ...(operation === 'blend' ? checkInline(shot, 2) : []),
    ...(operation === 'imagine' ? checkInline(shot, 0) : []),
  ];
}

function checkInline({ params: { blend_images: cells } }: ShotDraft, least: number): Finding[] {
  const images = Array.isArray(cells) ? cells.length : 0;
  const remedy = messageFor('remedy.inlineCount', { least, most: MAX_INLINE_IMAGES });
  const found = error('blend_images', messageFor('defect.unfit'), remedy);
  return when(images < least || images > MAX_INLINE_IMAGES, found);
}

/** The ids of buttons are only known once there is a picture. */
function checkAction({ params, prompt }: ShotDraft): Finding[] {
  return [
    ...['action_task', 'button']
      .filter((column) => params[column] === undefined)
      .map((column) => error(column, needs('action', column), messageFor('remedy.pressButton'))),
    ...when(prompt !== '', promptNotSent('action')),
  ];
}

/** Service reference, "Typography family". */
function checkTypography({ params, prompt, extra }: ShotDraft, operation: string): Finding[] {
  if (operation === 'typo_generate') return [];
  const isNamed = Object.keys(extra).some((name) => ['image', 'image_url'].includes(extraFieldName(name)));
  const missing = error('image', needs(operation, 'image'), messageFor('remedy.nameImage'));
  return [
    ...when(params.image === undefined && !isNamed, missing),
    ...when(operation === 'typo_upscale' && prompt !== '', promptNotSent(operation)),
  ];
}

/** The other entries make a picture from words and media; what becomes of the media, the prompt says. */
function checkWordsAndMedia(shot: ShotDraft): Finding[] {
  const { operation, messages } = shot.params;
  if (operation === 'edit' && messages === undefined) return checkSource(shot, 'edit');
  const onlyThere = error('operation', messageFor('defect.onlyImagesVaries'), messageFor('remedy.jsonInPrompt'));
  return when(operation === 'variation', onlyThere);
}

function checkMessages({ params, prompt }: ShotDraft): Finding[] {
  if (params.messages === undefined) return [];
  const remedy = messageFor('remedy.clearCellOrColumn', { column: 'messages' });
  const lost = [...(prompt === '' ? [] : ['prompt']), ...(params.image === undefined ? [] : ['image'])];
  return lost.map((column) => error(column, messageFor('defect.messagesInstead', { column }), remedy));
}

function checkOperation(shot: ShotDraft): Finding[] {
  const operation = imageOperation(shot.params);
  if (operation !== 'edit' && operation !== 'variation') return checkManyImages(shot);
  return [
    ...checkSource(shot, operation),
    ...checkFewImages(shot),
    ...when(operation === 'variation' && shot.prompt !== '', {
      ...promptNotSent('variation'),
      remedy: messageFor('remedy.editForPrompt'),
    }),
  ];
}

const checkSource = ({ params }: ShotDraft, operation: string): Finding[] =>
  when(params.image === undefined, error('image', needs(operation, 'image'), messageFor('remedy.nameLocalImage')));

/** Images that the reference allows an edit or a variation ("Limits"). For a generation it names no limit. */
const SHOWN_IMAGES = 4;

function checkFewImages({ params: { n } }: ShotDraft): Finding[] {
  const remedy = messageFor('remedy.writeNumberBetween', { type: 'number', min: '1', max: String(SHOWN_IMAGES) });
  const found = error('n', messageFor('defect.unfit'), remedy);
  return when(Number(n ?? 0) > SHOWN_IMAGES, found);
}

/** A slip of the hand here is paid for. */
function checkManyImages({ params: { n } }: ShotDraft): Finding[] {
  const count = Number(n ?? 0);
  return when(
    count > SHOWN_IMAGES,
    warning('n', messageFor('defect.manyImages', { count }), messageFor('remedy.checkNumber')),
  );
}

/** Reference, "Images", edits: the two pro/vip models accept sides that are multiples of 16. Their ids are not shown. */
function checkSides(shot: ShotDraft, { settings }: RuleContext): Finding[] {
  const { size } = shot.params;
  if (typeof size !== 'string') return [];
  const isCertain = isOneOf(shot.model, settings.assumed.sidesOf16Models);
  if (!isCertain && !PRO_OR_VIP.test(shot.model)) return [];
  const sides = size.split('x').map(Number);
  if (sides.every((side) => side % 16 === 0)) return [];
  const { model } = shot;
  const value = sides.map((side) => Math.max(16, Math.round(side / 16) * 16)).join('x');
  const problem = messageFor('defect.sidesOf16', { model, is: isCertain ? 'sure' : 'other' });
  return [(isCertain ? error : warning)('size', problem, messageFor('remedy.writeValue', { value }))];
}

type Words = Pick<ShotDraft, 'prompt' | 'params'>;
type Assets = Pick<RequestContext, 'assets'>;

function generationConfig({ params }: Words): JsonObject {
  return isObject(params.generation_config) ? params.generation_config : {};
}

/** The parts of the entry content. Media go by address, as in every other request that names an asset. */
function contentParts({ prompt, params }: Words, { assets }: Assets): JsonObject[] {
  const parts = prompt === '' ? [] : [textPart(prompt)];
  return [...cellsIn(params.image).map((cell) => picturePart(cell, assets)), ...parts];
}

function messageFields({ prompt, params }: Words, { assets }: Assets): JsonObject {
  const { image, messages, size } = params;
  return presentFields({
    input: { messages: messages ?? [userMessage(prompt, sentAddresses(image, assets) ?? [])] },
    parameters: size === undefined ? undefined : { size },
  });
}

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
