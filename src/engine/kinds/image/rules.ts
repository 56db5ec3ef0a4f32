import { JsonObject } from '../../../contract/json.ts';
import { imageOperation, imageSpec, isJobStyle, isTypography } from '../../../contract/kinds/image.ts';
import { LARGEST_INLINE } from '../../api/sent-files.ts';
import { isCalledProOrVip, isOneOf } from '../../models/index.ts';
import { checkSentTwice, extraFieldName } from '../extra-fields.ts';
import { namedMedia } from '../named-media.ts';
import { error, warning } from '../rules.ts';
import type { Finding, KindRules, MediaUse, RuleContext, ShotDraft } from '../rules.ts';
import { generationConfig, messageFields, Messages } from './other-entries.ts';

const inForm = namedMedia(imageSpec, 'file');
const byAddress = namedMedia(imageSpec, 'address');

const ofTypography = ['rendering_speed', 'style_type'];

/** Columns that an entry has no field for. */
const notIn: Readonly<Record<string, readonly string[]>> = {
  images: [...ofTypography, 'system', 'generation_config', 'messages'],
  content: [...ofTypography, 'mask', 'n', 'size', 'aspect_ratio', 'resolution', 'response_format', 'messages'],
  messages: [
    ...ofTypography,
    ...['mask', 'n', 'aspect_ratio', 'resolution', 'response_format', 'system', 'generation_config'],
  ],
};

/** Columns that the families with entries of their own have no field for. */
const notInFamilies = ['mask', 'n', 'size', 'resolution', 'response_format', 'system', 'generation_config', 'messages'];
const notInOperation: Readonly<Record<string, readonly string[]>> = {
  typo_upscale: ['aspect_ratio', ...ofTypography],
  imagine: ['image', 'aspect_ratio', ...ofTypography],
  blend: ['image', 'aspect_ratio', ...ofTypography],
  action: ['image', 'aspect_ratio', ...ofTypography],
};

/** Columns that one operation alone has a field for. */
const onlyIn: Readonly<Record<string, string>> = { action_task: 'action', button: 'action', blend_images: 'blend' };
const ofActions = ['action_task', 'button'];

/** How many images a blend takes is not shown; more than this would be too much for one request. */
const MOST_BLENDED = 10;

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

/** Images of a blend go inside the request. */
const boundedInline = (use: MediaUse): MediaUse =>
  use.column === 'blend_images' ? { ...use, maxBytes: LARGEST_INLINE } : use;

const entryOf = ({ entry }: ShotDraft['params']): string => (typeof entry === 'string' ? entry : 'images');

function checkEntry(shot: ShotDraft): Finding[] {
  const entry = entryOf(shot.params);
  const strange = (notIn[entry] ?? [])
    .filter((column) => shot.params[column] !== undefined)
    .map((column) => error(column, `The entry ${entry} takes no ${column}.`, remedyFor(entry)));
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
  const remedy = 'Clear this cell. What the service has a field for can be sent by a param. column.';
  const strange = [...notInFamilies, ...(notInOperation[operation] ?? [])]
    .filter((column) => params[column] !== undefined)
    .map((column) => error(column, `${operation} takes no ${column}.`, remedy));
  const own = [error('entry', `${operation} has an entry of its own.`, 'Clear this cell.')];
  return [
    ...strange,
    ...(entryOf(params) === 'images' ? [] : own),
    ...(isTypography(params) ? checkTypography(shot, operation) : []),
    ...ofOtherOperations(shot),
    ...(operation === 'action' ? checkAction(shot) : []),
    ...(operation === 'blend' ? checkBlend(shot) : []),
  ];
}

const ofOtherOperations = ({ params }: ShotDraft): Finding[] =>
  Object.entries(onlyIn)
    .filter(([column, operation]) => params[column] !== undefined && imageOperation(params) !== operation)
    .map(([column, operation]) =>
      error(column, `Only ${operation} takes ${column}.`, `Set operation to ${operation}, or clear this cell.`),
    );

function checkBlend({ params: { blend_images: cells } }: ShotDraft): Finding[] {
  const images = Array.isArray(cells) ? cells.length : 0;
  if (images >= 2 && images <= MOST_BLENDED) return [];
  const remedy = `Name 2 to ${MOST_BLENDED} local images, with semicolons between them.`;
  return [error('blend_images', `A blend is made of 2 to ${MOST_BLENDED} images.`, remedy)];
}

/** The ids of buttons are only known once there is a picture. */
function checkAction({ params, prompt }: ShotDraft): Finding[] {
  const remedy =
    'Press the button in review, or use `dailies takes act`. A row needs the take and the id of its button.';
  const lost = warning('prompt', 'An action takes no prompt: this one is kept but not sent.', 'Nothing to do.');
  return [
    ...ofActions
      .filter((column) => params[column] === undefined)
      .map((column) => error(column, `An action needs ${column}.`, remedy)),
    ...(prompt === '' ? [] : [lost]),
  ];
}

/** Service reference, "Typography family". */
function checkTypography({ params, prompt, extra }: ShotDraft, operation: string): Finding[] {
  if (operation === 'typo_generate') {
    if (params.image === undefined) return [];
    return [error('image', 'typo_generate takes no image.', 'Set operation to typo_remix, or clear this cell.')];
  }
  const isNamed = Object.keys(extra).some((name) => ['image', 'image_url'].includes(extraFieldName(name)));
  const remedy = 'Name a file, an asset or a URL in the column image.';
  const missing = error('image', `${operation} needs an image to start from.`, remedy);
  const lost = warning('prompt', 'An upscale takes no prompt: this one is kept but not sent.', 'Nothing to do.');
  return [
    ...(params.image === undefined && !isNamed ? [missing] : []),
    ...(operation === 'typo_upscale' && prompt !== '' ? [lost] : []),
  ];
}

const remedyFor = (entry: string): string =>
  entry === 'content'
    ? 'Clear this cell. What the model has a setting for goes into generation_config.'
    : 'Clear this cell, or choose another entry or operation.';

/** The other entries make a picture from words and media; what becomes of the media, the prompt says. */
function checkWordsAndMedia(shot: ShotDraft): Finding[] {
  const { operation, messages } = shot.params;
  if (operation === 'edit' && messages === undefined) return checkSource(shot, 'An edit');
  if (operation !== 'variation') return [];
  return [error('operation', 'Only the entry images makes variations.', 'Clear this cell, and say it in the prompt.')];
}

function checkMessages({ params, prompt }: ShotDraft): Finding[] {
  if (params.messages === undefined) return [];
  const remedy = 'Clear this cell, or the messages.';
  const lost = [...(prompt === '' ? [] : ['prompt']), ...(params.image === undefined ? [] : ['image'])];
  return lost.map((column) => error(column, `The messages of this row are sent in place of its ${column}.`, remedy));
}

function checkOperation(shot: ShotDraft): Finding[] {
  switch (imageOperation(shot.params)) {
    case 'edit':
      return [...checkSource(shot, 'An edit'), ...checkFields(shot, 'An edit'), ...checkFewImages(shot, 'An edit')];
    case 'variation':
      return [
        ...checkSource(shot, 'A variation'),
        ...checkFields(shot, 'A variation'),
        ...checkFewImages(shot, 'A variation'),
        ...checkMask(shot),
        ...checkVariationPrompt(shot),
      ];
    default:
      return [...checkNoSource(shot), ...checkMask(shot), ...checkManyImages(shot)];
  }
}

function checkSource(shot: ShotDraft, what: string): Finding[] {
  if (shot.params.image !== undefined) return [];
  return [error('image', `${what} needs an image to start from.`, 'Name a local image file in the column image.')];
}

function checkNoSource(shot: ShotDraft): Finding[] {
  if (shot.params.image === undefined) return [];
  const remedy = 'Set operation to edit or variation, or clear this cell.';
  return [error('image', 'Generating takes no source image; the operation of this row is generate.', remedy)];
}

function checkMask(shot: ShotDraft): Finding[] {
  if (shot.params.mask === undefined) return [];
  return [error('mask', 'Only an edit takes a mask.', 'Set operation to edit, or clear this cell.')];
}

function checkFields(shot: ShotDraft, what: string): Finding[] {
  return generateOnly
    .filter((column) => shot.params[column] !== undefined)
    .map((column) => error(column, `${what} takes no ${column}.`, 'Clear this cell.'));
}

/** Images that the reference allows an edit or a variation ("Limits"). For a generation it names no limit. */
const SHOWN_IMAGES = 4;

function checkFewImages({ params: { n } }: ShotDraft, what: string): Finding[] {
  if (typeof n !== 'number' || n <= SHOWN_IMAGES) return [];
  return [error('n', `${what} makes 1 to ${SHOWN_IMAGES} images.`, `Write a number from 1 to ${SHOWN_IMAGES}.`)];
}

/** A slip of the hand here is paid for. */
function checkManyImages({ params: { n } }: ShotDraft): Finding[] {
  if (typeof n !== 'number' || n <= SHOWN_IMAGES) return [];
  const remedy = 'Check the number; for more takes of the shot, use the column takes.';
  return [warning('n', `Each take of this row asks for ${n} images, and each image may be charged.`, remedy)];
}

/** Reference, "Images", edits: the two pro/vip models accept sides that are multiples of 16. Their ids are not shown. */
function checkSides(shot: ShotDraft, { settings }: RuleContext): Finding[] {
  const { size } = shot.params;
  if (typeof size !== 'string') return [];
  const isCertain = isOneOf(shot.model, settings.assumed.sidesOf16Models);
  if (!isCertain && !isCalledProOrVip(shot.model)) return [];
  const sides = size.split('x').map(Number);
  if (sides.every((side) => side % 16 === 0)) return [];
  const nearest = sides.map((side) => Math.max(16, Math.round(side / 16) * 16)).join('x');
  return isCertain
    ? [error('size', `${shot.model} takes sides that are multiples of 16 pixels.`, `Write ${nearest}.`)]
    : [warning('size', `${shot.model} may take only sides that are multiples of 16 pixels.`, `${nearest} is safe.`)];
}

function checkVariationPrompt(shot: ShotDraft): Finding[] {
  if (shot.prompt === '') return [];
  const remedy = 'Set operation to edit if the prompt should count, else nothing is to be done.';
  return [warning('prompt', 'A variation takes no prompt: this one is kept but not sent.', remedy)];
}
