import { imageSpec } from '../../contract/kinds/image.ts';
import { editSidesAreMultiplesOf16 } from '../models/index.ts';
import { namedMedia } from './named-media.ts';
import { error, warning } from './rules.ts';
import type { Finding, KindRules, ShotDraft } from './rules.ts';

/** Fields only POST /v1/images/generations (and its asynchronous entry) takes. */
const generateOnly = ['aspect_ratio', 'resolution', 'response_format'];

/** Service reference, "Images" and "Limits". */
export const imageRules: KindRules = {
  mediaOf: namedMedia(imageSpec, 'file'),
  check: (shot) => {
    switch (shot.params.operation) {
      case 'edit':
        return [...checkSource(shot, 'An edit'), ...checkFields(shot, 'An edit'), ...checkSides(shot)];
      case 'variation':
        return [
          ...checkSource(shot, 'A variation'),
          ...checkFields(shot, 'A variation'),
          ...checkMask(shot),
          ...checkVariationPrompt(shot),
        ];
      default:
        return [...checkNoSource(shot), ...checkMask(shot)];
    }
  },
};

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

function checkSides(shot: ShotDraft): Finding[] {
  const { size } = shot.params;
  if (typeof size !== 'string' || !editSidesAreMultiplesOf16(shot.model)) return [];
  const sides = size.split('x').map(Number);
  if (sides.every((side) => side % 16 === 0)) return [];
  const nearest = sides.map((side) => Math.max(16, Math.round(side / 16) * 16)).join('x');
  return [error('size', `${shot.model} takes sides that are multiples of 16 pixels.`, `Write ${nearest}.`)];
}

function checkVariationPrompt(shot: ShotDraft): Finding[] {
  if (shot.prompt === '') return [];
  const remedy = 'Set operation to edit if the prompt should count, else nothing is to be done.';
  return [warning('prompt', 'A variation takes no prompt: this one is kept but not sent.', remedy)];
}
