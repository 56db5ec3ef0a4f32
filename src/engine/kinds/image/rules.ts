import { imageSpec } from '../../../contract/kinds/image.ts';
import { isCalledProOrVip, isOneOf } from '../../models/index.ts';
import { namedMedia } from '../named-media.ts';
import { error, warning } from '../rules.ts';
import type { Finding, KindRules, RuleContext, ShotDraft } from '../rules.ts';

/** Fields only POST /v1/images/generations (and its asynchronous entry) takes. */
const generateOnly = ['aspect_ratio', 'resolution', 'response_format'];

/** Service reference, "Images" and "Limits". */
export const imageRules: KindRules = {
  mediaOf: namedMedia(imageSpec, 'file'),
  check: (shot, context) => [...checkOperation(shot), ...checkSides(shot, context)],
};

function checkOperation(shot: ShotDraft): Finding[] {
  switch (shot.params.operation) {
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
