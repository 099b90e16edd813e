import { redactSensitive, type PrivacyPolicy } from '../language/privacy-policy.ts';
import type { LanguageModel, TextRequest } from './language-model.ts';

/** The same model, which is never sent what the policy keeps out of memories: passwords, keys, card numbers. */
export function redactingModel(model: LanguageModel, policy: PrivacyPolicy): LanguageModel {
  const clean = <Request extends TextRequest>(request: Request): Request => ({
    ...request,
    prompt: { ...request.prompt, user: redactSensitive(request.prompt.user, policy) },
  });
  return {
    generate: (request) => model.generate(clean(request)),
    generateText: (request) => model.generateText(clean(request)),
    modelOf: (task) => model.modelOf(task),
  };
}
