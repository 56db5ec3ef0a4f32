import { presenterOperation, presenterSpec } from '../../../contract/kinds/presenter.ts';
import { messageFor, type Message } from '../../../contract/messages/message.ts';
import { readMediaReference } from '../media-reference.ts';
import { namedMedia } from '../named-media.ts';
import { error, needs, promptNotSent, type Finding, type KindRules, type ShotDraft } from '../rules.ts';

/** Columns whose media are assets of one purpose each (reference, "Assets and groups"). */
const assetColumns = presenterSpec.parameters.flatMap((each) =>
  each.type === 'media' && each.purpose !== undefined ? [each.name] : [],
);

/** What a video is made of. The reference shows no field that another operation needs. */
const needed: Readonly<Record<string, Message>> = {
  avatar: messageFor('remedy.nameAvatar'),
  audio: messageFor('remedy.nameMedia'),
};

/** Service reference, "Generic tasks" and "Digital human records". */
export const presenterRules: KindRules = {
  mediaOf: namedMedia(presenterSpec, 'address'),
  check: (shot) => [
    ...(presenterOperation(shot.params) === 'video' ? checkNeeded(shot) : []),
    ...assetColumns.flatMap((column) => checkAsset(shot, column)),
    ...checkOneFileForTwo(shot),
    ...(shot.prompt === '' ? [] : [promptNotSent(messageFor('kind.presenter'))]),
  ],
};

const checkNeeded = ({ params }: ShotDraft): Finding[] =>
  Object.entries(needed).flatMap(([column, remedy]) =>
    params[column] === undefined ? [error(column, needs(messageFor('kind.presenter'), column), remedy)] : [],
  );

function checkAsset({ params }: ShotDraft, column: string): Finding[] {
  const cell = params[column];
  if (typeof cell !== 'string' || readMediaReference(cell).at !== 'url') return [];
  return [error(column, messageFor('defect.onlyAsset'), messageFor('remedy.uploadIt'))];
}

/** A file has one asset in a shot, and an asset one purpose. */
function checkOneFileForTwo({ params }: ShotDraft): Finding[] {
  return assetColumns.flatMap((column, place) => {
    const other = assetColumns
      .slice(0, place)
      .find((each) => params[each] !== undefined && params[each] === params[column]);
    if (other === undefined) return [];
    return [error(column, messageFor('defect.sameFileAs', { column: other }), messageFor('remedy.giveOtherFile'))];
  });
}
