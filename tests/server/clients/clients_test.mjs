// OpenAI's JavaScript client against a server: node clients_test.mjs URL MODEL. Prints one line a check; exits 1 at the first that fails.
import assert from "node:assert/strict";
import OpenAI from "openai";

const [url, model] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "secret", maxRetries: 0 });
const messages = [{ role: "user", content: "Name a colour." }];
const settings = { model, messages, temperature: 0, max_tokens: 12 };

async function check(name, body) {
    await body();
    console.log(`ok ${name}`);
}

let whole;
await check("chat", async () => {
    const answer = await client.chat.completions.create(settings);
    whole = answer.choices[0].message.content;
    assert.ok(whole.length > 0);
    assert.equal(answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens);
});
await check("stream", async () => {
    let text = "", finish = null, usage = null;
    for await (const chunk of await client.chat.completions.create({ ...settings, stream: true, stream_options: { include_usage: true } })) {
        text += chunk.choices[0]?.delta?.content ?? "";
        finish = chunk.choices[0]?.finish_reason ?? finish;
        usage = chunk.usage ?? usage;
    }
    assert.equal(text, whole);
    assert.ok(["stop", "length"].includes(finish));
    assert.ok(usage.completion_tokens > 0);
});
await check("stream helper", async () => {
    const stream = client.chat.completions.stream({ ...settings, n: 1 });
    const final = await stream.finalChatCompletion();
    assert.equal(final.choices[0].message.content, whole);
});
await check("cancel", async () => {
    const stream = await client.chat.completions.create({ ...settings, max_tokens: 4000, stream: true });
    for await (const chunk of stream) if (chunk.choices[0].delta.content) break; // leaves the loop: the client aborts
    stream.controller.abort();
});
await check("completions", async () => {
    const answer = await client.completions.create({ model, prompt: ["One, two,", "Red, green,"], max_tokens: 4, temperature: 0, logprobs: 2 });
    assert.deepEqual(answer.choices.map((choice) => choice.index), [0, 1]);
    assert.equal(answer.choices[0].logprobs.tokens.length, answer.choices[0].logprobs.token_logprobs.length);
});
await check("models", async () => {
    const names = [];
    for await (const each of client.models.list()) names.push(each.id);
    assert.ok(names.includes(model));
    assert.equal((await client.models.retrieve(model)).id, model);
});
await check("errors", async () => {
    await assert.rejects(client.chat.completions.create({ ...settings, temperature: -1 }), (error) => error.status === 400 && error.param === "temperature");
    await assert.rejects(client.models.retrieve("nobody"), (error) => error.status === 404);
    const stranger = new OpenAI({ baseURL: `${url}/v1`, apiKey: "wrong", maxRetries: 0 });
    await assert.rejects(stranger.models.list(), (error) => error.status === 401);
});
