import { FingerClient } from 'finger';

async function main() {
  const client = new FingerClient();
  
  // 连接
  await client.connect();
  
  // 订阅事件
  client.subscribe(['phase_transition', 'task_*'], (event) => {
    console.log(`[${event.type}]`, event.payload);
  });
  
  // 设置决策处理器
  client.onDecision(async (decision) => {
    console.log(`\n❓ ${decision.message}`);
    if (decision.options) {
      decision.options.forEach((opt, i) => {
        console.log(`  ${i + 1}. ${opt}`);
      });
    }
    
    // 获取用户输入
    const answer = await getUserInput('> ');
    return answer;
  });
  
  // 执行任务
  const { workflowId } = await client.orchestrate('搜索 deepseek 最新发布');
  
  // 等待完成
  // (事件会通过订阅处理器输出)
  
  // 断开连接
  client.disconnect();
}

main().catch(console.error);
