import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.AbortTransactionSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTransactionsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What the administration of Kafka 4.3 has and that of 2.8 has not; as ClientWork.java.
 *
 *     java -cp CLASS_PATH AdminWork.java HOST:PORT PREFIX
 */
public final class AdminWork {
  private static String server;
  private static String prefix;

  public static void main(String[] args) throws Exception {
    server = args[0];
    prefix = args[1];
    try (Admin admin = Admin.create(Map.<String, Object>of("bootstrap.servers", server))) {
      TopicPartition first = new TopicPartition(prefix + "payments", 0);
      report("create", outcome(admin.createTopics(List.of(new NewTopic(first.topic(), 1, (short) 1))).all()));
      Producer<String, String> one = open("one");
      Producer<String, String> two = open("two");
      String ids = admin.listTransactions(new ListTransactionsOptions().filterStates(Set.of(TransactionState.ONGOING))).all().get().stream()
          .map(TransactionListing::transactionalId).filter(each -> each.startsWith(prefix)).sorted().collect(Collectors.joining(" "));
      report("open", ids);
      TransactionDescription described = admin.describeTransactions(List.of(prefix + "one")).all().get().get(prefix + "one");
      report("described", described.state() + " " + described.topicPartitions() + " " + described.transactionTimeoutMs());
      report("missing", outcome(admin.describeTransactions(List.of(prefix + "missing")).all()));
      ProducerState state = admin.describeProducers(List.of(first)).all().get().get(first).activeProducers().stream()
          .filter(each -> each.producerId() == described.producerId()).findFirst().get();
      report("producer", state.producerEpoch() + " " + state.lastSequence() + " " + state.currentTransactionStartOffset().getAsLong());
      AbortTransactionSpec spec = new AbortTransactionSpec(first, state.producerId(), (short) state.producerEpoch(), state.coordinatorEpoch().orElse(0));
      report("abort", outcome(admin.abortTransaction(spec).all()));
      report("fence", outcome(admin.fenceProducers(List.of(prefix + "two")).all()));
      report("fenced", thrown(() -> {
        two.send(new ProducerRecord<>(first.topic(), 0, "k", "late"));
        two.commitTransaction();
      }));
      report("latest", admin.listOffsets(Map.of(first, OffsetSpec.latest())).all().get().get(first).offset());
      report("greatest time", admin.listOffsets(Map.of(first, OffsetSpec.maxTimestamp())).all().get().get(first).offset());
      report("groups", outcome(admin.listGroups().all()));
      report("by id", admin.describeTopics(TopicCollection.ofTopicIds(List.of(idOf(admin, first.topic())))).allTopicIds().get().values().iterator().next().name());
      report("log dirs", admin.describeLogDirs(List.of(1)).allDescriptions().get().get(1).values().stream()
          .flatMap(each -> each.replicaInfos().keySet().stream()).filter(each -> each.topic().startsWith(prefix)).count());
      report("features", admin.describeFeatures().featureMetadata().get() != null);
      report("delete by id", outcome(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(idOf(admin, first.topic())))).all()));
      report("delete by an unknown id", outcome(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(Uuid.randomUuid()))).all()));
    }
    System.exit(0);
  }

  private static Uuid idOf(Admin admin, String topic) throws Exception {
    return admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).topicId();
  }

  /** A producer with an open transaction. */
  private static Producer<String, String> open(String id) throws Exception {
    Map<String, Object> own = Map.of("bootstrap.servers", server, "transactional.id", prefix + id, "transaction.timeout.ms", "60000");
    Producer<String, String> producer = new KafkaProducer<>(own, new StringSerializer(), new StringSerializer());
    producer.initTransactions();
    producer.beginTransaction();
    producer.send(new ProducerRecord<>(prefix + "payments", 0, "k", id)).get();
    return producer;
  }

  private interface Work { void run() throws Exception; }

  private static String thrown(Work work) {
    try {
      work.run();
      return "done";
    } catch (ExecutionException e) {
      return e.getCause().getClass().getSimpleName();
    } catch (Exception e) {
      return e.getClass().getSimpleName();
    }
  }

  private static String outcome(KafkaFuture<?> future) {
    return thrown(future::get);
  }

  private static void report(String what, Object found) {
    System.out.println(what + ": " + String.valueOf(found).replace(prefix, ""));
  }
}
