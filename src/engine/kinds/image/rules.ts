import { JsonObject } from '../../../contract/json.ts';
import { imageOperation, imageSpec, isJobStyle, isTypography } from '../../../contract/kinds/image.ts';
import { type Message, messageFor } from '../../../contract/messages/message.ts';
import { LARGEST_INLINE } from '../../api/request-parts.ts';
import { PRO_OR_VIP, isOneOf } from '../../models/index.ts';
import { Messages, userMessage, picturePart, textPart } from '../chat-message.ts';
import { checkSentTwice, extraFieldName, presentFields } from '../extra-fields.ts';
import { namedMedia } from '../named-media.ts';
import {
  error,
  type Finding,
  type KindRules,
  type MediaUse,
  needs,
  promptNotSent,
  type RuleContext,
  type ShotDraft,
  takesNo,
  warning,
} from '../rules.ts';
import { isObject } from '../../api/answer.ts';
import type { RequestContext } from '../driver.ts';
import { sentAddress } from '../media-reference.ts';

const inForm = namedMedia(imageSpec, 'file');
const byAddress = namedMedia(imageSpec, 'address');

const ofTypography = ['rendering_speed', 'style_type'];

const notIn: Readonly<Record<string, readonly string[]>> = {
  images: [...ofTypography, 'system', 'generation_config', 'messages'],
  content: [...ofTypography, 'mask', 'n', 'size', 'aspect_ratio', 'resolution', 'response_format', 'messages'],
  messages: [
    ...ofTypography,
    ...['mask', 'n', 'aspect_ratio', 'resolution', 'response_format', 'system', 'generation_config'],
  ],
};

const notInFamilies = ['mask', 'n', 'size', 'resolution', 'response_format', 'system', 'generation_config', 'messages'];
const notInOperation: Readonly<Record<string, readonly string[]>> = {
  typo_upscale: ['aspect_ratio', ...ofTypography],
  imagine: ['image', 'aspect_ratio', ...ofTypography],
  blend: ['image', 'aspect_ratio', ...ofTypography],
  action: ['image', 'aspect_ratio', ...ofTypography],
};

/** Columns that only these operations have a field for. */
const onlyIn: Readonly<Record<string, readonly string[]>> = {
  action_task: ['action'],
  button: ['action'],
  blend_images: ['blend', 'imagine'],
};
const ofActions = ['action_task', 'button'];

/** How many images a job-style request takes is not shown; more than this would be too much for one. */
const MOST_INLINE = 10;

/** Fields only POST /v1/images/generations (and its asynchronous entry) takes. */
const generateOnly = ['aspect_ratio', 'resolution', 'response_format'];

/** Service reference, "Images" and "Limits". */
export const imageRules: KindRules = {
  mediaOf: (params) =>
    entryOf(params) === 'images' && !isTypography(params) ? inForm(params).map(boundedInline) : byAddress(params),
  check: (shot, context) =>
    isTypography(shot.params) || isJobStyle(shot.params)
      ? checkFamily(shot)
      : [...checkEntry(shot), ...checkSides(shot, context), ...ofOtherOperations(shot)],
  schemas: { generation_config: JsonObject, messages: Messages },
};

/** Job-style images go inside the request. */
const boundedInline = (use: MediaUse): MediaUse =>
  use.column === 'blend_images' ? { ...use, maxBytes: LARGEST_INLINE } : use;

const entryOf = ({ entry }: ShotDraft['params']): string => (typeof entry === 'string' ? entry : 'images');

function checkEntry(shot: ShotDraft): Finding[] {
  const entry = entryOf(shot.params);
  const strange = (notIn[entry] ?? [])
    .filter((column) => shot.params[column] !== undefined)
    .map((column) => error(column, messageFor('defect.entryTakesNo', { entry, column }), remedyFor(entry)));
  switch (entry) {
    case 'content':
      return [...strange, ...checkWordsAndMedia(shot), ...checkSentTwice(generationConfig(shot), shot.extra)];
    case 'messages': {
      const sent = messageFields(shot, { assets: new Map() });
      return [...strange, ...checkWordsAndMedia(shot), ...checkMessages(shot), ...checkSentTwice(sent, shot.extra)];
    }
    default:
      return [...strange, ...checkOperation(shot)];
  }
}

/** Typography and the job-style family have entries of their own. */
function checkFamily(shot: ShotDraft): Finding[] {
  const { params } = shot;
  const operation = imageOperation(params);
  const strange = [...notInFamilies, ...(notInOperation[operation] ?? [])]
    .filter((column) => params[column] !== undefined)
    .map((column) => error(column, takesNo(operation, column), messageFor('remedy.useParam')));
  const own = [error('entry', messageFor('defect.ownEntry', { operation }), messageFor('remedy.clearCell'))];
  return [
    ...strange,
    ...(entryOf(params) === 'images' ? [] : own),
    ...(isTypography(params) ? checkTypography(shot, operation) : []),
    ...ofOtherOperations(shot),
    ...(operation === 'action' ? checkAction(shot) : []),
    ...(operation === 'blend' ? checkInline(shot, 2) : []),
    ...(operation === 'imagine' ? checkInline(shot, 0) : []),
  ];
}

const ofOtherOperations = ({ params }: ShotDraft): Finding[] =>
  Object.entries(onlyIn)
    .filter(([column, operations]) => params[column] !== undefined && !operations.includes(imageOperation(params)))
    .map(([column, [operation = '']]) => onlyFor(operation, column));

const onlyFor = (operation: string, column: string): Finding =>
  error(column, messageFor('defect.onlyFor', { operation, column }), messageFor('remedy.setOperation', { operation }));

function checkInline({ params: { blend_images: cells } }: ShotDraft, least: number): Finding[] {
  const images = Array.isArray(cells) ? cells.length : 0;
  if (images >= least && images <= MOST_INLINE) return [];
  const count = { least, most: MOST_INLINE };
  return [error('blend_images', messageFor('defect.inlineCount', count), messageFor('remedy.inlineCount', count))];
}

/** The ids of buttons are only known once there is a picture. */
function checkAction({ params, prompt }: ShotDraft): Finding[] {
  return [
    ...ofActions
      .filter((column) => params[column] === undefined)
      .map((column) => error(column, needs('action', column), messageFor('remedy.pressButton'))),
    ...(prompt === '' ? [] : [promptNotSent('action')]),
  ];
}

/** Service reference, "Typography family". */
function checkTypography({ params, prompt, extra }: ShotDraft, operation: string): Finding[] {
  if (operation === 'typo_generate') {
    if (params.image === undefined) return [];
    return [
      error('image', takesNo(operation, 'image'), messageFor('remedy.setOperation', { operation: 'typo_remix' })),
    ];
  }
  const isNamed = Object.keys(extra).some((name) => ['image', 'image_url'].includes(extraFieldName(name)));
  const missing = error('image', needs(operation, 'image'), messageFor('remedy.nameImage'));
  return [
    ...(params.image === undefined && !isNamed ? [missing] : []),
    ...(operation === 'typo_upscale' && prompt !== '' ? [promptNotSent(operation)] : []),
  ];
}

const remedyFor = (entry: string): Message =>
  messageFor(entry === 'content' ? 'remedy.useGenerationConfig' : 'remedy.otherEntry');

/** The other entries make a picture from words and media; what becomes of the media, the prompt says. */
function checkWordsAndMedia(shot: ShotDraft): Finding[] {
  const { operation, messages } = shot.params;
  if (operation === 'edit' && messages === undefined) return checkSource(shot, 'edit');
  if (operation !== 'variation') return [];
  return [error('operation', messageFor('defect.onlyImagesVaries'), messageFor('remedy.sayInPrompt'))];
}

function checkMessages({ params, prompt }: ShotDraft): Finding[] {
  if (params.messages === undefined) return [];
  const remedy = messageFor('remedy.clearCellOrColumn', { column: 'messages' });
  const lost = [...(prompt === '' ? [] : ['prompt']), ...(params.image === undefined ? [] : ['image'])];
  return lost.map((column) => error(column, messageFor('defect.messagesInstead', { column }), remedy));
}

function checkOperation(shot: ShotDraft): Finding[] {
  switch (imageOperation(shot.params)) {
    case 'edit':
      return [...checkSource(shot, 'edit'), ...checkFields(shot, 'edit'), ...checkFewImages(shot, 'edit')];
    case 'variation':
      return [
        ...checkSource(shot, 'variation'),
        ...checkFields(shot, 'variation'),
        ...checkFewImages(shot, 'variation'),
        ...checkMask(shot),
        ...checkVariationPrompt(shot),
      ];
    default:
      return [...checkNoSource(shot), ...checkMask(shot), ...checkManyImages(shot)];
  }
}

function checkSource(shot: ShotDraft, operation: string): Finding[] {
  if (shot.params.image !== undefined) return [];
  return [error('image', needs(operation, 'image'), messageFor('remedy.nameLocalImage'))];
}

function checkNoSource(shot: ShotDraft): Finding[] {
  if (shot.params.image === undefined) return [];
  return [error('image', takesNo('generate', 'image'), messageFor('remedy.editOrVariation'))];
}

function checkMask(shot: ShotDraft): Finding[] {
  if (shot.params.mask === undefined) return [];
  return [onlyFor('edit', 'mask')];
}

function checkFields(shot: ShotDraft, operation: string): Finding[] {
  return generateOnly
    .filter((column) => shot.params[column] !== undefined)
    .map((column) => error(column, takesNo(operation, column), messageFor('remedy.clearCell')));
}

/** Images that the reference allows an edit or a variation ("Limits"). For a generation it names no limit. */
const SHOWN_IMAGES = 4;

function checkFewImages({ params: { n } }: ShotDraft, operation: string): Finding[] {
  if (typeof n !== 'number' || n <= SHOWN_IMAGES) return [];
  const remedy = messageFor('remedy.writeBetween', { min: '1', max: String(SHOWN_IMAGES) });
  return [error('n', messageFor('defect.mostImages', { operation, most: SHOWN_IMAGES }), remedy)];
}

/** A slip of the hand here is paid for. */
function checkManyImages({ params: { n } }: ShotDraft): Finding[] {
  if (typeof n !== 'number' || n <= SHOWN_IMAGES) return [];
  return [warning('n', messageFor('defect.manyImages', { count: n }), messageFor('remedy.checkNumber'))];
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
  return isCertain
    ? [error('size', messageFor('defect.sidesOf16', { model }), messageFor('remedy.writeValue', { value }))]
    : [warning('size', messageFor('defect.maybeSidesOf16', { model }), messageFor('remedy.valueIsSafe', { value }))];
}

function checkVariationPrompt(shot: ShotDraft): Finding[] {
  if (shot.prompt === '') return [];
  return [{ ...promptNotSent('variation'), remedy: messageFor('remedy.editForPrompt') }];
}

type Words = Pick<ShotDraft, 'prompt' | 'params'>;
type Assets = Pick<RequestContext, 'assets'>;

/** The `generationConfig` of the entry content. */
export function generationConfig({ params }: Words): JsonObject {
  return isObject(params.generation_config) ? params.generation_config : {};
}

/** The parts of the entry content. Media go by address, as in every other request that names an asset. */
export function contentParts({ prompt, params }: Words, { assets }: Assets): JsonObject[] {
  const parts = prompt === '' ? [] : [textPart(prompt)];
  return typeof params.image === 'string' ? [picturePart(params.image, assets), ...parts] : parts;
}

/** The message of a row for the family that uses `input.messages`. */
export function messageFields({ prompt, params }: Words, { assets }: Assets): JsonObject {
  const { image, messages, size } = params;
  const pictures = typeof image === 'string' ? [sentAddress(image, assets)] : [];
  return presentFields({
    input: { messages: messages ?? [userMessage(prompt, pictures)] },
    parameters: size === undefined ? undefined : { size },
  });
}
