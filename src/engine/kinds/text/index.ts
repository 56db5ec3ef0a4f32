import type { JsonObject } from '../../../contract/json.ts';
import { textSpec } from '../../../contract/kinds/text.ts';
import type { ShotSpec } from '../../../contract/shot.ts';
import { chat, messages, responses } from '../../api/resources/requests.ts';
import type { Finding, KindDriver, KindRules, RequestContext, ShotDraft } from '../rules.ts';
import { error, errorsIn, pathIn, takesNo, warning, when } from '../rules.ts';
import {
  chatForm,
  checkSentTwice,
  extraFieldName,
  generateContent,
  Messages,
  picturePart,
  presentFields,
  textPart,
  userMessage,
  withExtraFields,
} from '../extra-fields.ts';
import { resultsFor, textsIn } from '../results.ts';
import { messageFor } from '../../../contract/messages/message.ts';
import { cellsIn, namedMedia, sentAddress } from '../media-reference.ts';

/** Service reference, "Text generation". */
const textRules: KindRules = {
  mediaOf: namedMedia(textSpec, 'address'),
  check: (shot) => [
    ...checkSentTwice(fieldsFor(shot, { assets: new Map() }), shot.extra),
    ...checkStream(shot),
    ...checkFormat(shot),
    ...checkMessages(shot),
  ],
  schemas: { messages: Messages },
};

/** Its turns have another form there, which no column has. */
function checkMessages(shot: ShotDraft): Finding[] {
  if (shot.params.route !== 'generate_content') return [];
  const problem = (column: string) => takesNo('generate_content', column);
  return errorsIn(shot, ['messages'], problem, messageFor('remedy.otherEntry'));
}

function checkStream({ extra }: ShotDraft): Finding[] {
  return Object.keys(extra)
    .filter((name) => extraFieldName(name) === 'stream')
    .map((name) => error(`param.${name}`, messageFor('defect.textWhole'), messageFor('remedy.clearCell')));
}

const checkFormat = ({ params }: ShotDraft): Finding[] =>
  when(
    params.output_format === 'json' && params.route === 'messages',
    warning('output_format', messageFor('defect.noJsonField'), messageFor('remedy.jsonInPrompt')),
  );

/** Service reference, "Text generation". The result is in the answer. */
export const textDriver: KindDriver = {
  rules: textRules,
  toRequest: (shot, context) => {
    const { settings, assets } = context;
    const fields = fieldsFor(shot, context);
    switch (shot.params.route) {
      case 'generate_content': {
        const pictures = pictureCells(shot.params).map((cell) => picturePart(cell, assets));
        return generateContent(shot, [...pictures, textPart(shot.prompt)], fields);
      }
      case 'responses':
        return responses.create(bodyFor(shot, fields), pathIn(settings, 'responses'));
      case 'messages':
        return messages.create(bodyFor(shot, fields), pathIn(settings, 'messages'));
      default:
        return chat.create(bodyFor(shot, fields));
    }
  },
  readResult: (answer, sent) => {
    const texts = textsIn(answer);
    return texts.length > 0 ? texts : resultsFor(answer, textSpec.medium, { sent });
  },
};

const bodyFor = (shot: ShotSpec, fields: JsonObject): JsonObject =>
  withExtraFields(presentFields({ model: shot.model, ...fields }), shot);

const MAX_TOKENS = 4096;

/** Entries of a content as the client libraries of these routes send them. */
const responsesForm: typeof chatForm = {
  picture: (url) => ({ type: 'input_image', image_url: url }),
  text: (text) => ({ type: 'input_text', text }),
};
const messagesForm: typeof chatForm = {
  picture: (url) => ({ type: 'image', source: { type: 'url', url } }),
  text: (text) => ({ type: 'text', text }),
};

type Words = Pick<ShotDraft, 'prompt' | 'params'>;

const pictureCells = ({ image, references }: ShotDraft['params']): string[] => [
  ...cellsIn(image),
  ...cellsIn(references),
];

/**
 * The fields of a row's columns beside the model; for generateContent, inside `generationConfig`. The reference shows
 * only `messages` of chat; we assume the rest as the usual client libraries send it.
 */
function fieldsFor({ prompt, params }: Words, { assets }: Pick<RequestContext, 'assets'>): JsonObject {
  const { system, max_tokens: most } = params;
  const asJson = params.output_format === 'json';
  const pictures = pictureCells(params).map((cell) => sentAddress(cell, assets));
  const before = Array.isArray(params.messages) ? params.messages : [];
  const isOwnTurn = before.length === 0 || prompt !== '' || pictures.length > 0;
  const turns = (form = chatForm) => [...before, ...(isOwnTurn ? [userMessage(prompt, pictures, form)] : [])];
  switch (params.route) {
    case 'generate_content':
      return presentFields({ maxOutputTokens: most, responseMimeType: asJson ? 'application/json' : undefined });
    case 'responses':
      return presentFields({
        instructions: system,
        input: before.length + pictures.length === 0 ? prompt : turns(responsesForm),
        max_output_tokens: most,
        text: asJson ? { format: { type: 'json_object' } } : undefined,
      });
    case 'messages':
      return presentFields({ system, messages: turns(messagesForm), max_tokens: most ?? MAX_TOKENS });
    default:
      return presentFields({
        messages: [...(system === undefined ? [] : [{ role: 'system', content: system }]), ...turns()],
        max_tokens: most,
        response_format: asJson ? { type: 'json_object' } : undefined,
      });
  }
}
