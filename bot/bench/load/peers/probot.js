// A Probot app that does nothing with what it hears: Probot verifies a delivery, reads it and
// answers. Nothing is stored.
import { createServer } from "node:http";
import { createNodeMiddleware, Probot } from "probot";

const probot = new Probot({
  appId: 1,
  privateKey: process.env.PRIVATE_KEY,
  secret: process.env.WEBHOOK_SECRET,
  logLevel: "fatal",
});
const app = (bot) => {
  bot.onAny(async () => {});
};
const middleware = await createNodeMiddleware(app, { probot, webhooksPath: "/webhook" });
createServer((request, response) =>
  middleware(request, response, () => response.writeHead(404).end()),
).listen(Number(process.argv[2]), "127.0.0.1");
