/** The words of the commands. */

export const zh = {
  commands: {
    memory: {
      description: "看看我记得你什么",
    },
    "memory.forget": {
      description: "忘掉关于你的一切",
    },
  },
  taishi: {
    known: "我记得这些：",
    nothing: "我还没有记住关于你的事。",
    confirm: "这会删除我记住的关于你的一切，包括群聊里你说过的话，不能恢复。确定吗？回复“确认”继续，回复其他内容取消。",
    kept: "好，什么都没有删除。",
    forgotten: "已经忘掉了（删除了 {0} 条记录）。",
    failed: "记忆服务出了问题：{0}",
  },
};

export const en = {
  commands: {
    memory: {
      description: "What I remember about you",
    },
    "memory.forget": {
      description: "Forget everything about you",
    },
  },
  taishi: {
    known: "This is what I remember:",
    nothing: "I do not remember anything about you yet.",
    confirm: "This deletes everything I remember about you, including what you said in groups, and cannot be undone. Reply “yes” to go on, anything else to cancel.",
    kept: "All right, nothing was deleted.",
    forgotten: "Forgotten ({0} records deleted).",
    failed: "The memory service has a problem: {0}",
  },
};
