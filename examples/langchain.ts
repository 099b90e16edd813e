// npm run example examples/langchain.ts
// LangChain with memory: a history that is logged and remembered, and a retriever over memory.

import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts';
import { type Runnable, RunnableLambda, RunnableWithMessageHistory } from '@langchain/core/runnables';
import { createVarve, type Varve } from 'varve';
import { VarveChatHistory, VarveRetriever } from 'varve/langchain';

/** Runs two turns with history, and asks the retriever a question. */
export async function run(varve: Varve, model: Runnable<BaseMessage[], BaseMessage>): Promise<string[]> {
  const prompt = ChatPromptTemplate.fromMessages([
    ['system', 'You are a helpful assistant.'],
    new MessagesPlaceholder('history'),
    ['human', '{input}'],
  ]);
  const asMessages = RunnableLambda.from((value: { toChatMessages(): BaseMessage[] }) => value.toChatMessages());
  const chat = new RunnableWithMessageHistory({
    runnable: prompt.pipe(asMessages).pipe(model),
    getMessageHistory: (session: string) => new VarveChatHistory(varve.for({ user: 'ann', session })),
    inputMessagesKey: 'input',
    historyMessagesKey: 'history',
  });
  const config = { configurable: { sessionId: 'monday' } };
  const answers: string[] = [];
  for (const input of ['My dog is called Max.', 'What is my dog called?'])
    answers.push(String((await chat.invoke({ input }, config)).content));
  await varve.drain();
  const [found] = await new VarveRetriever(varve.for({ user: 'ann' }), { limit: 3 }).invoke('the dog called Max');
  return [...answers, found?.pageContent ?? ''];
}

if (import.meta.main) {
  const varve = await createVarve({ store: ':memory:', background: false });
  // Use any chat model of LangChain here; this one repeats the last message.
  const echo = RunnableLambda.from((messages: BaseMessage[]) => new AIMessage(String(messages.at(-1)?.content)));
  console.log(await run(varve, echo as never));
  await varve.close();
}
