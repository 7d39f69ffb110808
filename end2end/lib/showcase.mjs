// Questions as agents ask them, in each language: for pictures, and for tests of what the page looks like.

/** @typedef {'zh' | 'en'} Language */

/** What the first question is about. */
export const source = `use std::time::Duration;

/// How long a user stays signed in.
pub struct Session {
    user: UserId,
    device: DeviceId,
    expires: Option<Instant>, // TODO: who sets it?
}

impl Session {
    /// A session that begins now.
    pub fn open(user: UserId, device: DeviceId) -> Self {
        let expires = None;
        Self { user, device, expires }
    }
}
`;
export const sourceFile = 'src/session.rs';

/** The words of a showcase: one object for each language, so that none is forgotten. */
const words = {
  zh: {
    task: '为商店实现用户登录',
    sessions: '登录状态如何保持？',
    sessionsContext: '任务描述没有说明。`Session` 目前从不过期，而系统以后会拆成多个服务。',
    token: '签名令牌（JWT）',
    tokenPros: ['无状态，任何服务都能验证', '跨域友好'],
    tokenCons: ['无法主动失效', '需要处理刷新'],
    server: '服务器会话',
    serverPros: ['可随时失效', '实现简单'],
    serverCons: ['需要共享存储'],
    hash: '密码用什么算法存储？',
    hashContext: '上线后更换需要所有用户重新登录。',
    hashPros: ['久经考验', '到处都有库'],
    hashCons: ['只占用处理器'],
    argonPros: ['抗显卡破解', '当前推荐的标准'],
    argonCons: ['参数需要调校'],
    mail: '用哪个服务发送登录邮件？',
    mailOptions: [
      ['自建 SMTP', ['没有额外费用'], ['容易被判为垃圾邮件']],
      ['云厂商的邮件服务', ['送达率高', '按量计费'], ['需要域名认证']],
      ['第三方邮件服务', ['接入最快'], ['价格最高', '数据出境']],
    ],
    clients: '第一版支持哪些客户端？',
    clientOptions: ['网页', '安卓', '苹果手机', '桌面'],
    note: '还有什么需要先知道的？',
    noteOptions: ['没有', '先看一下旧系统'],
    question: (/** @type {number} */ id) => `第 ${id} 个模块的缓存放在哪里？`,
    questionContext: '读取远多于写入，任务描述没有说明缓存的位置。',
    memory: '进程内存',
    memoryPros: ['没有额外的服务', '读取最快'],
    memoryCons: ['重启后丢失'],
    redis: '独立的 Redis',
    redisPros: ['多个实例共享'],
    redisCons: ['多一个要维护的服务'],
    many: (/** @type {number} */ count) => `确定 ${count} 个模块的缓存`,
    written: '刷新令牌放在 HttpOnly Cookie 里',
    reason: '缺少成本估算，请先补充。',
  },
  en: {
    task: 'Add sign-in to the shop',
    sessions: 'How do people stay signed in?',
    sessionsContext: 'The task does not say. A `Session` never expires today, and the system will be split into several services.',
    token: 'Signed tokens (JWT)',
    tokenPros: ['Stateless: any service can verify them', 'Work across domains'],
    tokenCons: ['Cannot be revoked', 'Have to be refreshed'],
    server: 'Sessions on the server',
    serverPros: ['Can be revoked at any time', 'Simple'],
    serverCons: ['Need shared storage'],
    hash: 'Which algorithm stores the passwords?',
    hashContext: 'Changing it after launch signs everybody out.',
    hashPros: ['Proven', 'Libraries everywhere'],
    hashCons: ['Hardens against CPUs only'],
    argonPros: ['Hard to crack on graphics cards', 'Today’s recommendation'],
    argonCons: ['Has to be tuned'],
    mail: 'Which service sends the sign-in mail?',
    mailOptions: [
      ['Our own SMTP server', ['No extra cost'], ['Often marked as spam']],
      ['The cloud’s mail service', ['Reliable delivery', 'Pay per use'], ['Domain has to be verified']],
      ['A mail provider', ['Quickest to set up'], ['Most expensive', 'Data leaves the country']],
    ],
    clients: 'Which clients does the first version support?',
    clientOptions: ['Web', 'Android', 'iPhone', 'Desktop'],
    note: 'What else should I know first?',
    noteOptions: ['Nothing', 'Look at the old system first'],
    question: (/** @type {number} */ id) => `Where does module ${id} keep its cache?`,
    questionContext: 'It is read far more often than written, and the task does not say where the cache belongs.',
    memory: 'In the process',
    memoryPros: ['No service to run', 'Fastest to read'],
    memoryCons: ['Lost on restart'],
    redis: 'A Redis of its own',
    redisPros: ['Shared by all instances'],
    redisCons: ['One more service to run'],
    many: (/** @type {number} */ count) => `Choose the cache of ${count} modules`,
    written: 'Keep the refresh token in an HttpOnly cookie',
    reason: 'Please add what each of them would cost.',
  },
};

/** @param {Language} lang */
export const wordsOf = (lang) => words[lang];

/**
 * Five questions of every kind: with six lines of source, with two options, with a table, with several answers, with one's own.
 * @param {Language} lang
 */
export function showcase(lang) {
  const w = words[lang];
  const scores = [55, 80, 70];
  return {
    task: w.task,
    source: 'task-now.md',
    items: [
      {
        id: 1,
        title: w.sessions,
        context: w.sessionsContext,
        location: { file: sourceFile, start: 3, end: 8 },
        recommend: 'jwt',
        options: [
          { value: 'jwt', label: w.token, score: 85, pros: w.tokenPros, cons: w.tokenCons },
          { value: 'session', label: w.server, score: 70, pros: w.serverPros, cons: w.serverCons },
        ],
      },
      {
        id: 2,
        title: w.hash,
        context: w.hashContext,
        recommend: 'argon2',
        options: [
          { value: 'bcrypt', label: 'bcrypt', score: 80, pros: w.hashPros, cons: w.hashCons },
          { value: 'argon2', label: 'Argon2id', score: 90, pros: w.argonPros, cons: w.argonCons },
        ],
      },
      {
        id: 3,
        title: w.mail,
        recommend: 'm1',
        options: w.mailOptions.map(([label, pros, cons], index) => ({ value: `m${index}`, label, score: scores[index], pros, cons })),
      },
      {
        id: 4,
        title: w.clients,
        multiple: true,
        min: 1,
        max: 3,
        options: w.clientOptions.map((label, index) => ({ value: `c${index}`, label })),
      },
      {
        id: 5,
        title: w.note,
        required: false,
        allow_other: true,
        options: w.noteOptions.map((label, index) => ({ value: `n${index}`, label })),
      },
    ],
  };
}

/** The first two of them. @param {Language} lang */
export function two(lang) {
  const input = showcase(lang);
  return { ...input, items: input.items.slice(0, 2) };
}

/** Many of one kind. @param {Language} lang @param {number} count */
export function many(lang, count) {
  const w = words[lang];
  const items = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: w.question(index + 1),
    context: w.questionContext,
    recommend: index % 2 ? 'redis' : 'memory',
    options: [
      { value: 'memory', label: w.memory, score: 60 + (index % 30), pros: w.memoryPros, cons: w.memoryCons },
      { value: 'redis', label: w.redis, score: 55 + (index % 40), pros: w.redisPros, cons: w.redisCons },
    ],
  }));
  return { task: w.many(count), source: 'task-now.md', items };
}
