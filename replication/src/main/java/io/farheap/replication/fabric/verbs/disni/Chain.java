package io.farheap.replication.fabric.verbs.disni;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/**
 * Work requests of one shape, laid out once for the device and posted again and again with other
 * addresses: posting makes no garbage.
 */
final class Chain {
    static final int MAX_WRITES = 8;
    static final int MAX_READS = 2;
    static final int NO_TAIL = -1;

    private final SVCPostSend call;
    private final SVCPostSend.SendWRMod last;
    private final SVCPostSend.SgeMod[] local;
    private final SVCPostSend.RdmaMod[] remote;

    /**
     * @param writes how many WRITEs it begins with
     * @param tail the operation at its end, or {@link #NO_TAIL}
     * @param tails how often that is there
     */
    Chain(IbvQP queues, int writes, int tail, int tails) throws IOException {
        int requests = writes + tails;
        List<IbvSendWR> shape = new ArrayList<>(requests);
        for (int i = 0; i < requests; i++) {
            shape.add(request(i < writes ? IbvSendWR.IBV_WR_RDMA_WRITE : tail, i == requests - 1));
        }
        call = queues.postSend(shape, null);
        local = new SVCPostSend.SgeMod[requests];
        remote = new SVCPostSend.RdmaMod[requests];
        for (int i = 0; i < requests; i++) {
            local[i] = call.getWrMod(i).getSgeMod(0);
            remote[i] = call.getWrMod(i).getRdmaMod();
        }
        last = call.getWrMod(requests - 1);
    }

    private static IbvSendWR request(int opcode, boolean signaled) {
        LinkedList<IbvSge> parts = new LinkedList<>();
        parts.add(new IbvSge());
        IbvSendWR request = new IbvSendWR();
        request.setOpcode(opcode);
        request.setSg_list(parts);
        request.setNum_sge(1);
        request.setSend_flags(signaled ? IbvSendWR.IBV_SEND_SIGNALED : 0);
        return request;
    }

    void set(int request, long here, int hereKey, int bytes, long there, int thereKey) {
        SVCPostSend.SgeMod from = local[request];
        from.setAddr(here);
        from.setLkey(hereKey);
        from.setLength(bytes);
        SVCPostSend.RdmaMod to = remote[request];
        to.setRemote_addr(there);
        to.setRkey(thereKey);
    }

    /**
     * One doorbell.
     *
     * @param id what the completion will say
     */
    void post(long id) throws IOException {
        last.setWr_id(id);
        SVCPostSend unused = call.execute();
    }

    void free() {
        SVCPostSend unused = call.free();
    }
}
